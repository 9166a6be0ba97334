import { type Channel, rulesOf } from '@svc/contract/channels';
import type { SendMessage } from '@svc/contract/chat';
import type { BotRow } from '../../bots/bots.service.ts';
import type { ConversationRow, KnownConversation } from '../../conversations/conversations.service.ts';
import { AppError, invalid, notFound } from '../../lib/app-error.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';

/** A message whose user is known. */
export type UserMessage = SendMessage & { external_user_id: string };

/** Where a message goes: to a bot that can answer or a person who does, in a conversation that is there or a new one. */
export interface Target {
  bot: BotRow;
  /** Present when the bot is remembered and may have changed since. */
  botRevision: string | null;
  conversation: KnownConversation | undefined;
  /** The conversation waited for a person when it was read, so the bot is probably not asked. */
  isHandedOff: boolean;
  /** A new conversation is started only if the user has none with the bot, which the write itself checks. */
  isOnlyIfFirst: boolean;
}

export interface TargetOptions {
  channel: Channel;
  /** The sender must not learn that a conversation of somebody else exists. */
  isEndUser: boolean;
  /** Why the bot must not be asked. */
  refusal: AppError | undefined;
  /** The version of the bot that answers; left out: the current one. */
  version: number | undefined;
  /** The bot is read again even if it is remembered. */
  isFresh: boolean;
  /** The latest conversation of the user is read even if the bot can answer. */
  isLookedFor: boolean;
  /** Throws why the bot's tools cannot work; undefined if there is nothing to check. */
  requireReady(bot: BotRow): Promise<void> | undefined;
}

interface FoundBot extends Pick<Target, 'bot' | 'botRevision'> {
  /** Why it cannot answer. It need not be able to while its conversation waits for a person. */
  problem: AppError | undefined;
}

export async function findTarget(
  workspaceId: string,
  message: UserMessage,
  { bots, models, conversations }: Pick<TurnDependencies, 'bots' | 'models' | 'conversations'>,
  { channel, isEndUser, refusal, version, isFresh, isLookedFor, requireReady }: TargetOptions,
): Promise<Target> {
  const { bot_id: botId, conversation_id: conversationId } = message;
  if (conversationId !== undefined) {
    if (message.new_conversation)
      throw invalid('new_conversation', 'cannot be true when conversation_id is given');
    const conversation = await conversations.getRow(workspaceId, conversationId);
    checkContinues(conversation, message, { channel, isEndUser });
    const isHandedOff = conversation.handoffRequestedAt !== null;
    const { problem = refusal, ...found } = await getBot(conversation.botId, { needsModel: !isHandedOff });
    requireNo(problem, isHandedOff);
    return { ...found, conversation, isHandedOff, isOnlyIfFirst: false };
  }
  if (botId === undefined) throw invalid('bot_id', 'is required unless conversation_id is given');
  const isOnlyIfFirst = !message.new_conversation;
  const { problem = refusal, ...found } = await getBot(botId, { needsModel: true });
  const conversation =
    isOnlyIfFirst && (isLookedFor || problem)
      ? await conversations.findLatest(workspaceId, botId, message.external_user_id, channel)
      : undefined;
  const isHandedOff = conversation !== undefined && conversation.handoffRequestedAt !== null;
  requireNo(problem, isHandedOff);
  return { ...found, conversation, isHandedOff, isOnlyIfFirst };

  /** A remembered bot that cannot answer is read again: it may have changed since. */
  async function getBot(
    id: string,
    { needsModel, mustBeFresh = isFresh }: { needsModel: boolean; mustBeFresh?: boolean },
  ): Promise<FoundBot> {
    const { bot, revision: botRevision } =
      version === undefined
        ? await bots.recall(workspaceId, id, mustBeFresh)
        : { bot: await bots.getRow(workspaceId, id, version), revision: null };
    const isActive = bot.status === 'active';
    const withoutModel = isActive && needsModel ? problemOf(() => models.ofBot(bot.settings)) : undefined;
    if ((!isActive || withoutModel) && botRevision !== null)
      return getBot(id, { needsModel, mustBeFresh: true });
    if (!isActive) throw new AppError('BOT_INACTIVE');
    const checking = requireReady(bot)?.then(() => undefined, requireAppError);
    return { bot, botRevision, problem: (checking && (await checking)) ?? withoutModel };
  }
}

/** The bot reads later what was written while its conversation waited, so who may not send it there may not write then either. */
function requireNo(problem: AppError | undefined, isHandedOff: boolean): void {
  if (problem && (!isHandedOff || problem.code === 'FORBIDDEN')) throw problem;
}

function problemOf(check: () => unknown): AppError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return requireAppError(error);
  }
}

function requireAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}

function checkContinues(
  conversation: ConversationRow,
  message: UserMessage,
  { channel, isEndUser }: Pick<TargetOptions, 'channel' | 'isEndUser'>,
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
