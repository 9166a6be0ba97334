import type { ChatStats, LoggedEvent, SendMessage } from '@svc/contract/chat';
import { AppError } from '../app-error.ts';
import type { Quote } from '../billing/service.ts';
import { type ConversationRow, titleOf, type WantedConversation } from '../conversations/service.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { live, numbered, type StreamEvent } from '../events/event.ts';
import { eventLog } from '../events/log.ts';
import type { RecordAnswer } from '../idempotency/service.ts';
import { formatUsd, parseUsd } from '../money.ts';
import { newAdmission } from './admission.ts';
import { createAdmitRun } from './admit-run.ts';
import { createAdmitTurn } from './admit-turn.ts';
import type { TurnDependencies } from './dependencies.ts';
import { createReadingStarts } from './reading-starts.ts';
import type { RecentHistories } from './recent-histories.ts';
import { admissionQuote, reserveAdmitted } from './reservation.ts';
import type { TurnRunner } from './runner.ts';
import { newState, type PlacedMessage, type TurnState } from './state.ts';
import { type Admission, turnStore } from './store.ts';
import { findTarget, type Target } from './target.ts';
import { turnInProgress } from './turn-in-progress.ts';
import { createTurnWatch } from './turn-watch.ts';

export type { RunAdmission } from './admit-run.ts';
export type { TurnTools } from './dependencies.ts';
export type {
  FinalAnswer,
  Grade,
  KeptReply,
  Passage,
  ReplyOwner,
  ReplyQuality,
  WholeReply,
} from './reply-quality.ts';
export { stopChannel } from './store.ts';
export type { TurnEnd } from './turn-watch.ts';

/** A turn that was begun, as a repeat of the request must find it. */
export interface AcceptedTurn {
  conversation_id: string;
  turn_id: string;
  /** The number of its first event. */
  first_event: number;
}

export interface SendOptions {
  /** The turn is known by it wherever something is told of the request. */
  requestId: string;
  record: RecordAnswer<AcceptedTurn>;
  /** Recording is asked for: the turn and its record are then one transaction. */
  isRecorded: boolean;
  /** Called when the turn is written and before anything of it is told, so that its reader misses nothing. */
  onAdmitted: (accepted: AcceptedTurn) => void;
}

export type TurnService = ReturnType<typeof createTurnService>;

const eventsPerPage = 1_000;

type Said = Pick<TurnState, 'summary' | 'messages'>;

export function createTurnService(
  dependencies: TurnDependencies & { runner: TurnRunner; recent: Pick<RecentHistories, 'recall'> },
) {
  const { recent, database, bus, models, conversations, workspaces, billing, runner, nodeId, clock } =
    dependencies;

  return {
    /** Writes the message and begins the turn. Whatever can fail before the model is asked fails here. */
    async send(workspaceId: string, message: SendMessage, options: SendOptions): Promise<AcceptedTurn> {
      const target = await findTarget(workspaceId, message, dependencies, false);
      try {
        return await sendTo(target, workspaceId, message, options);
      } catch (error) {
        // What was remembered of the bot may no longer be so.
        if (target.botRevision === null || !(error instanceof AppError)) throw error;
      }
      const fresh = await findTarget(workspaceId, message, dependencies, true);
      return sendTo(fresh, workspaceId, message, options);
    },

    /** Writes the run of an agent in the caller's transaction; it is begun once that is committed. */
    admitRun: createAdmitRun(dependencies),

    /** Writes a turn that no caller sent in the caller's transaction; it is begun once that is committed. */
    admitTurn: createAdmitTurn(dependencies),

    ...createReadingStarts(dependencies),

    /** Waits until a turn no longer runs, wherever that is, and tells how it ended. */
    ended: createTurnWatch(dependencies),

    async listEvents(workspaceId: string, wanted: WantedConversation, after: number): Promise<LoggedEvent[]> {
      const { id } = await conversations.getWanted(workspaceId, wanted);
      const page = { after, limit: eventsPerPage };
      const rows = await eventLog.list(database.query, workspaceId, id, page);
      return rows.map(({ sequence, type, data, createdAt }) => ({
        id: sequence,
        event: type,
        data,
        created_at: createdAt.toISOString(),
      }));
    },

    /** Previews that a crash took back, for a reader who may still show one. */
    async retractions(workspaceId: string, conversationId: string): Promise<StreamEvent[]> {
      const lost = await turnStore.listRetracted(database.query, workspaceId, conversationId);
      return lost.map(({ turnId, messageId }) =>
        live(turnId, { type: 'stream.snapshot', data: { message_id: messageId, text: '' } }),
      );
    },

    async stats(workspaceId: string, wanted: WantedConversation): Promise<ChatStats> {
      const { id: conversationId, messageCount } = await conversations.getWanted(workspaceId, wanted);
      const byModel = await billing.usageByModel(workspaceId, conversationId);
      const sum = (pick: (usage: (typeof byModel)[number]) => number) =>
        byModel.reduce((total, usage) => total + pick(usage), 0);
      const input = sum((usage) => usage.inputTokens);
      const output = sum((usage) => usage.outputTokens);
      return {
        conversation_id: conversationId,
        turns: await turnStore.count(database.query, workspaceId, conversationId),
        messages: messageCount,
        tool_calls: await conversations.countToolCalls(workspaceId, conversationId),
        input_tokens: input,
        cached_input_tokens: sum((usage) => usage.cachedInputTokens),
        output_tokens: output,
        total_tokens: input + output,
        cost_usd: formatUsd(byModel.reduce((total, usage) => total + parseUsd(usage.costUsd), 0n)),
        by_model: byModel.map((usage) => ({
          model: usage.model,
          input_tokens: usage.inputTokens,
          output_tokens: usage.outputTokens,
          cost_usd: formatUsd(parseUsd(usage.costUsd)),
        })),
      };
    },
  };

  async function sendTo(
    target: Target,
    workspaceId: string,
    message: SendMessage,
    options: SendOptions,
  ): Promise<AcceptedTurn> {
    models.resolve(target.bot.settings.model ?? models.defaultModelId());
    const admission = admissionOf(workspaceId, message, target, options.requestId);
    const earlier = target.conversation && readEarlier(target.conversation);
    // Read meanwhile; a failure matters to who waits for it.
    earlier?.catch(() => undefined);
    return runner.admitting(admission.lease.turnId, async () => {
      const accepted = await admit(admission, target, earlier, message, options);
      options.onAdmitted(accepted);
      begin(admission, accepted.first_event, (said) => readState(target, earlier, admission, said));
      return accepted;
    });
  }

  /** One statement in the plain case; more to write, or money to set aside, takes a transaction around it. */
  async function admit(
    admission: Admission,
    target: Target,
    earlier: Promise<Said> | undefined,
    message: SendMessage,
    options: SendOptions,
  ): Promise<AcceptedTurn> {
    const { workspaceId } = admission.lease;
    const isPlain = !options.isRecorded && message.metadata === undefined && !beginsByItself(target, message);
    const accepted = isPlain ? await tryAdmit(database.query, admission) : undefined;
    if (accepted) return accepted;

    const { creditUsd } = await workspaces.get(workspaceId);
    if (isPlain && creditUsd === null) throw turnInProgress(admission.lease.conversationId);
    const quote = creditUsd === null ? undefined : await quoteFor(admission, target, earlier);
    admission.lease.isMetered = creditUsd !== null;
    return database.transaction(async (tx) => {
      await checkFirst(tx, workspaceId, target, message);
      const admitted = await tryAdmit(tx, admission);
      if (!admitted) throw turnInProgress(admission.lease.conversationId);
      // After the turn and its conversation, as every step does: another order could deadlock with one.
      if (creditUsd !== null && quote) {
        await reserveAdmitted(tx, admission.lease, creditUsd, quote, { billing });
      }
      if (target.conversation && message.metadata !== undefined) {
        await conversations.replaceMetadata(tx, workspaceId, target.conversation.id, message.metadata);
      }
      await options.record(tx, admitted);
      return admitted;
    });
  }

  async function tryAdmit(query: Queryable, admission: Admission): Promise<AcceptedTurn | undefined> {
    const { turnId, conversationId, workspaceId } = admission.lease;
    const first = await turnStore.admit(query, workspaceId, admission);
    return first === undefined
      ? undefined
      : { conversation_id: conversationId, turn_id: turnId, first_event: first };
  }

  /** By the conversation as it was read; a turn that came in between changes little. */
  async function quoteFor(
    { message, replyId }: Admission,
    { bot }: Target,
    earlier: Promise<Said> | undefined,
  ): Promise<Quote> {
    const model = models.resolve(bot.settings.model ?? models.defaultModelId());
    const { summary, messages } = (await earlier) ?? { summary: null, messages: [] };
    const said = { summary, messages: [...messages, { ...message, sequence: 0 }] };
    return admissionQuote(model, newState(bot, said, replyId), models);
  }

  /** Of messages that come at once from a new user, one begins the conversation. */
  async function checkFirst(
    tx: Transaction,
    workspaceId: string,
    target: Target,
    message: SendMessage,
  ): Promise<void> {
    if (!beginsByItself(target, message)) return;
    const begun = await conversations.holdFirst(tx, workspaceId, target.bot.id, message.external_user_id);
    if (begun) throw turnInProgress(begun.id);
  }

  function admissionOf(
    workspaceId: string,
    body: SendMessage,
    { bot, botRevision, conversation }: Target,
    requestId: string,
  ): Admission {
    return newAdmission({
      workspaceId,
      botId: bot.id,
      botRevision,
      conversationId: conversation?.id,
      newConversation: {
        channel: 'chat',
        externalUserId: body.external_user_id,
        title: titleOf(body.message),
        metadata: body.metadata ?? {},
      },
      text: body.message,
      options: {
        request_id: requestId,
        ...(body.code_machine_id !== undefined && { code_machine_id: body.code_machine_id }),
        ...(body.code_workdir !== undefined && { code_workdir: body.code_workdir }),
      },
      nodeId,
      now: clock.now(),
    });
  }

  function begin(
    { lease, events, message }: Admission,
    first: number,
    read: (said: PlacedMessage) => Promise<TurnState>,
  ): void {
    bus.publish(lease.conversationId, numbered(events, first, lease.turnId));
    runner.start(lease, () => read({ ...message, sequence: first }));
  }

  async function readEarlier(row: ConversationRow): Promise<Said> {
    return recent.recall(row) ?? conversations.historyThen(row);
  }

  async function readState(
    { bot, conversation }: Target,
    earlier: Promise<Said> | undefined,
    { lease, replyId }: Admission,
    said: PlacedMessage,
  ): Promise<TurnState> {
    if (!conversation || !earlier) return newState(bot, { summary: null, messages: [said] }, replyId);
    const { summary, messages } = await earlier;
    const isWhole = said.sequence === conversation.lastSequence + 1;
    const history = isWhole
      ? { summary, messages: [...messages, said] }
      : // Something happened between the look at the conversation and the message.
        await conversations.history(lease.workspaceId, lease.conversationId);
    return newState(bot, history, replyId);
  }
}

/** A conversation that begins because there was none, not because the caller asked for a new one. */
function beginsByItself({ conversation }: Target, message: SendMessage): boolean {
  return conversation === undefined && !message.new_conversation;
}
