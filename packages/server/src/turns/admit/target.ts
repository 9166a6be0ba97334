import { type Channel, channels } from '@svc/contract/channels';
import type { SendMessage } from '@svc/contract/chat';
import { AppError, invalid, notFound } from '../../app-error.ts';
import type { BotRow } from '../../bots/service.ts';
import type { ConversationRow, KnownConversation } from '../../conversations/service.ts';
import type { TurnDependencies } from '../dependencies.ts';

/** Where a message goes: to a bot, in a conversation that is there or a new one. */
export interface Target {
  bot: BotRow;
  /** Present when the bot is remembered and may have changed since. */
  botRevision: string | null;
  conversation: KnownConversation | undefined;
  /** A new conversation is begun only if the user has none with the bot: that is found out by the write itself. */
  isUnlessKnown: boolean;
}

export async function findTarget(
  workspaceId: string,
  message: SendMessage,
  { bots, conversations }: Pick<TurnDependencies, 'bots' | 'conversations'>,
  { channel, isFresh, isLookedFor }: { channel: Channel; isFresh: boolean; isLookedFor: boolean },
): Promise<Target> {
  const { bot_id: botId, conversation_id: conversationId } = message;
  if (conversationId !== undefined) {
    if (message.new_conversation)
      throw invalid('new_conversation', 'cannot be true when conversation_id is given');
    const conversation = await conversations.getRow(workspaceId, conversationId);
    checkContinues(conversation, message, channel);
    return { conversation, isUnlessKnown: false, ...(await getActiveBot(conversation.botId)) };
  }
  if (botId === undefined) throw invalid('bot_id', 'is required unless conversation_id is given');
  const isUnlessKnown = !message.new_conversation;
  const bot = await getActiveBot(botId);
  const conversation =
    isUnlessKnown && isLookedFor
      ? await conversations.findLatest(workspaceId, botId, message.external_user_id, channel)
      : undefined;
  return { ...bot, conversation, isUnlessKnown };

  async function getActiveBot(id: string): Promise<Pick<Target, 'bot' | 'botRevision'>> {
    const { bot: found, revision } = await bots.recall(workspaceId, id, isFresh);
    if (found.status !== 'active') throw new AppError('BOT_INACTIVE');
    return { bot: found, botRevision: revision };
  }
}

function checkContinues(conversation: ConversationRow, message: SendMessage, channel: Channel): void {
  // Nobody's in particular: that it is there is no secret among the workspace's own keys.
  if (!channels[conversation.channel].continuedByUser) {
    throw invalid(
      'conversation_id',
      `names a conversation of the channel ${conversation.channel}, which messages do not continue`,
    );
  }
  // Another user's conversation does not exist for this one.
  if (conversation.externalUserId !== message.external_user_id) throw notFound();
  if (conversation.channel !== channel) throw invalid('conversation_id', 'is held in another channel');
  if (message.bot_id !== undefined && message.bot_id !== conversation.botId) {
    throw invalid('bot_id', 'is not the bot of this conversation');
  }
}
