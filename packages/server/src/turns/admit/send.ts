import type { Channel } from '@svc/contract/channels';
import type { SendMessage } from '@svc/contract/chat';
import { AppError } from '../../app-error.ts';
import type { Quote } from '../../billing/service.ts';
import { type KnownConversation, titleOf } from '../../conversations/service.ts';
import type { Queryable } from '../../database/database.ts';
import { numbered } from '../../events/event.ts';
import type { RecordAnswer } from '../../idempotency/service.ts';
import type { TurnDependencies } from '../dependencies.ts';
import type { RecentHistories } from '../run/recent-histories.ts';
import type { TurnRunner } from '../run/runner.ts';
import { newState, type PlacedMessage, type TurnState } from '../state.ts';
import { turnStore } from '../store.ts';
import { type Admission, newAdmission, saidFirst } from './admission.ts';
import { admissionQuote, reserveAdmitted } from './reservation.ts';
import { findTarget, type Target } from './target.ts';
import { turnInProgress } from './turn-in-progress.ts';

/** A turn that was begun, as a repeat of the request must find it. */
export interface AcceptedTurn {
  conversation_id: string;
  turn_id: string;
  /** The number of its first event. */
  first_event: number;
}

export interface SendOptions {
  /** The message begins or continues a conversation of this channel, and of no other. */
  channel: Channel;
  /** The turn is known by it wherever something is told of the request. */
  requestId: string;
  record: RecordAnswer<AcceptedTurn>;
  /** Recording is asked for: the turn and its record are then one transaction. */
  isRecorded: boolean;
  /** Called when the turn is written and before anything of it is told, so that its reader misses nothing. */
  onAdmitted: (accepted: AcceptedTurn) => void;
}

interface Sent {
  workspaceId: string;
  message: SendMessage;
  options: SendOptions;
}

type Said = Pick<TurnState, 'summary' | 'messages'>;

/** The turn, or the conversation in which it belongs. */
type Outcome = { accepted: AcceptedTurn } | { elsewhere: KnownConversation };

/** Writes the message and begins the turn. Whatever can fail before the model is asked fails here. */
export function createSend(
  dependencies: TurnDependencies & { runner: TurnRunner; recent: Pick<RecentHistories, 'recall'> },
) {
  const { recent, database, bus, models, conversations, workspaces, billing, runner, nodeId, clock } =
    dependencies;

  return async (workspaceId: string, message: SendMessage, options: SendOptions): Promise<AcceptedTurn> => {
    const sent = { workspaceId, message, options };
    // In a transaction with more to write, to find out only then would be to do it twice.
    const isLookedFor = options.isRecorded;
    const { channel } = options;
    const look = (isFresh: boolean) =>
      findTarget(workspaceId, message, dependencies, { channel, isFresh, isLookedFor });
    const target = await look(false);
    try {
      return await sendTo(target, sent);
    } catch (error) {
      // What was remembered of the bot may no longer be so.
      if (target.botRevision === null || !(error instanceof AppError)) throw error;
    }
    return sendTo(await look(true), sent);
  };

  async function sendTo(target: Target, sent: Sent): Promise<AcceptedTurn> {
    models.resolve(target.bot.settings.model ?? models.defaultModelId());
    const admission = admissionOf(sent, target);
    const earlier = target.conversation && readEarlier(target.conversation);
    // Read meanwhile; a failure matters to whoever waits for it.
    earlier?.catch(() => undefined);
    const outcome = await runner.admitting(admission.lease.turnId, async () => {
      const admitted = await admit(admission, target, earlier, sent);
      if ('elsewhere' in admitted) return admitted;
      sent.options.onAdmitted(admitted.accepted);
      begin(admission, admitted.accepted.first_event, target, earlier);
      return admitted;
    });
    if ('accepted' in outcome) return outcome.accepted;
    return sendTo({ ...target, conversation: outcome.elsewhere }, sent);
  }

  /** One statement in the plain case; more to write, or money to set aside, takes a transaction around it. */
  async function admit(
    admission: Admission,
    target: Target,
    earlier: Promise<Said> | undefined,
    { message, options }: Sent,
  ): Promise<Outcome> {
    const { workspaceId } = admission.lease;
    const replaced = target.conversation && message.metadata;
    const isPlain = !options.isRecorded && replaced === undefined;
    const outcome = isPlain ? await tryAdmit(database.query, admission, target) : undefined;
    if (outcome) return outcome;

    const { creditUsd } = await workspaces.get(workspaceId);
    if (isPlain && creditUsd === null) throw turnInProgress(admission.lease.conversationId);
    const quote = creditUsd === null ? undefined : await quoteFor(admission, target, earlier);
    admission.lease.isMetered = creditUsd !== null;
    return database.transaction(async (tx) => {
      const admitted = await tryAdmit(tx, admission, target);
      if (!admitted) throw turnInProgress(admission.lease.conversationId);
      if ('elsewhere' in admitted) return admitted;
      // After the turn and its conversation, as every step does: another order could deadlock with one.
      if (creditUsd !== null && quote) {
        await reserveAdmitted(tx, admission.lease, creditUsd, quote, { billing });
      }
      if (target.conversation && replaced !== undefined) {
        await conversations.replaceMetadata(tx, workspaceId, target.conversation.id, replaced);
      }
      await options.record(tx, admitted.accepted);
      return admitted;
    });
  }

  async function tryAdmit(
    query: Queryable,
    admission: Admission,
    { isUnlessKnown }: Target,
  ): Promise<Outcome | undefined> {
    const { turnId, conversationId, workspaceId } = admission.lease;
    const isFirst = isUnlessKnown && admission.newConversation !== undefined;
    const found = isFirst
      ? await turnStore.admitFirst(query, workspaceId, admission)
      : await turnStore.admit(query, workspaceId, admission);
    if (found === undefined) return undefined;
    if (typeof found === 'object') return { elsewhere: found };
    return { accepted: { conversation_id: conversationId, turn_id: turnId, first_event: found } };
  }

  /** By the conversation as it was read; a turn that came in between changes little. */
  async function quoteFor(
    admission: Admission,
    { bot }: Target,
    earlier: Promise<Said> | undefined,
  ): Promise<Quote> {
    const model = models.resolve(bot.settings.model ?? models.defaultModelId());
    const { summary, messages } = (await earlier) ?? { summary: null, messages: [] };
    const said = { summary, messages: [...messages, ...saidFirst(admission, 0)] };
    return admissionQuote(model, newState(bot, said, admission.replyId), models);
  }

  function admissionOf(
    { workspaceId, message, options }: Sent,
    { bot, botRevision, conversation }: Target,
  ): Admission {
    return newAdmission({
      workspaceId,
      botId: bot.id,
      botRevision,
      channel: options.channel,
      conversationId: conversation?.id,
      newConversation: {
        externalUserId: message.external_user_id,
        title: titleOf(message.message),
        metadata: message.metadata ?? {},
      },
      greeting: bot.settings.chat_greeting,
      text: message.message,
      options: {
        request_id: options.requestId,
        ...(message.code_machine_id !== undefined && { code_machine_id: message.code_machine_id }),
        ...(message.code_workdir !== undefined && { code_workdir: message.code_workdir }),
      },
      nodeId,
      now: clock.now(),
    });
  }

  function begin(
    admission: Admission,
    first: number,
    target: Target,
    earlier: Promise<Said> | undefined,
  ): void {
    const { lease, events } = admission;
    bus.publish(lease.conversationId, numbered(events, first, lease.turnId));
    runner.start(lease, () => readState(target, earlier, admission, saidFirst(admission, first)));
  }

  async function readEarlier(known: KnownConversation): Promise<Said> {
    return recent.recall(known) ?? conversations.historyThen(known);
  }

  async function readState(
    { bot, conversation }: Target,
    earlier: Promise<Said> | undefined,
    { lease, replyId }: Admission,
    said: PlacedMessage[],
  ): Promise<TurnState> {
    if (!conversation || !earlier) return newState(bot, { summary: null, messages: said }, replyId);
    const { summary, messages } = await earlier;
    const isWhole = said[0]?.sequence === conversation.lastSequence + 1;
    const history = isWhole
      ? { summary, messages: [...messages, ...said] }
      : // Something happened between the look at the conversation and the message.
        await conversations.history(lease.workspaceId, lease.conversationId);
    return newState(bot, history, replyId);
  }
}
