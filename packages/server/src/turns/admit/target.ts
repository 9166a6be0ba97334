import { type Channel, rulesOf } from '@svc/contract/channels';
import type { SendMessage } from '@svc/contract/chat';
import { AppError, invalid, notFound } from '../../app-error.ts';
import type { BotRow } from '../../bots/service.ts';
import type { ConversationRow, KnownConversation } from '../../conversations/service.ts';
import type { TurnDependencies } from '../dependencies.ts';

/** Where a message goes: to a bot that can answer, in a conversation that is there or a new one. */
export interface Target {
  bot: BotRow;
  /** Present when the bot is remembered and may have changed since. */
  botRevision: string | null;
  conversation: KnownConversation | undefined;
  /** A new conversation is started only if the user has none with the bot, which the write itself checks. */
  isOnlyIfFirst: boolean;
}

interface TargetSearch {
  channel: Channel;
  /** The sender must not learn that a conversation of somebody else exists. */
  isEndUser: boolean;
  isFresh: boolean;
  isLookedFor: boolean;
}

export async function findTarget(
  workspaceId: string,
  message: SendMessage,
  { bots, models, conversations }: Pick<TurnDependencies, 'bots' | 'models' | 'conversations'>,
  { channel, isEndUser, isFresh, isLookedFor }: TargetSearch,
): Promise<Target> {
  const { bot_id: botId, conversation_id: conversationId } = message;
  if (conversationId !== undefined) {
    if (message.new_conversation)
      throw invalid('new_conversation', 'cannot be true when conversation_id is given');
    const conversation = await conversations.getRow(workspaceId, conversationId);
    checkContinues(conversation, message, { channel, isEndUser });
    return { conversation, isOnlyIfFirst: false, ...(await getAbleBot(conversation.botId)) };
  }
  if (botId === undefined) throw invalid('bot_id', 'is required unless conversation_id is given');
  const isOnlyIfFirst = !message.new_conversation;
  const bot = await getAbleBot(botId);
  const conversation =
    isOnlyIfFirst && isLookedFor
      ? await conversations.findLatest(workspaceId, botId, message.external_user_id, channel)
      : undefined;
  return { ...bot, conversation, isOnlyIfFirst };

  /** A remembered bot that cannot answer is read again: it may have changed since. */
  async function getAbleBot(id: string, mustBeFresh = isFresh): Promise<Pick<Target, 'bot' | 'botRevision'>> {
    const { bot: found, revision } = await bots.recall(workspaceId, id, mustBeFresh);
    try {
      if (found.status !== 'active') throw new AppError('BOT_INACTIVE');
      models.ofBot(found.settings);
    } catch (error) {
      if (revision === null) throw error;
      return getAbleBot(id, true);
    }
    return { bot: found, botRevision: revision };
  }
}

function checkContinues(
  conversation: ConversationRow,
  message: SendMessage,
  { channel, isEndUser }: Pick<TargetSearch, 'channel' | 'isEndUser'>,
): void {
  const refused = (path: string, problem: string) => (isEndUser ? notFound() : invalid(path, problem));
  // It belongs to no user, so its existence is not a secret of one.
  if (!rulesOf(conversation.channel).continuedByUser) {
    throw refused(
      'conversation_id',
      `names a conversation of the channel ${conversation.channel}, which messages do not continue`,
    );
  }
  // Another user's conversation is not found.
  if (conversation.externalUserId !== message.external_user_id) throw notFound();
  if (conversation.channel !== channel) throw refused('conversation_id', 'is held in another channel');
  if (message.bot_id !== undefined && message.bot_id !== conversation.botId) {
    throw refused('bot_id', 'is not the bot of this conversation');
  }
}
