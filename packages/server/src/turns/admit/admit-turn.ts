import { type Quote, quoteRequest, requirePrice, withMore } from '../../billing/billing.service.ts';
import type { Transaction } from '../../database/database.ts';
import { numbered } from '../../events/event.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Model } from '../../models/model.ts';
import type { ModelRegistry } from '../../models/model-registry.ts';
import { modelRequest } from '../reply/context/model-request.ts';
import { gradeAllowance, isGraded } from '../reply/grade-reply.ts';
import type { TurnRunner } from '../run/runner.ts';
import { type History, newState, type TurnState } from '../state.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { turnStore } from '../turns.store.ts';
import type { Admission } from './admission.ts';
import { firstMessages, type NewTurn, newTurn, type TurnToAdmit } from './new-turn.ts';

/**
 * Writes a turn with its message and the event that announces it, in the caller's transaction. Without one it is a single
 * statement, and only a workspace with an unlimited balance admits it. While the conversation waits for a person, the turn is
 * completed by the same write, without a model or money. Throws INSUFFICIENT_BALANCE, except for a run that was triggered.
 */
export type AdmitTurn = (wanted: TurnToAdmit, tx?: Transaction) => Promise<Admission>;

const noHistory: History = { summary: null, messages: [] };

/** The one way in: every turn of every channel is admitted here. */
export function createAdmitTurn(dependencies: TurnDependencies & { runner: TurnRunner }): AdmitTurn {
  const { database, feed, models, workspaces, billing, conversations, runner, nodeId, clock, telemetry } =
    dependencies;

  return async (wanted, tx) => {
    const { request_id: requestId, trace_parent: given } = wanted.options;
    const accepting = telemetry.accept({ turnId: wanted.turnId, requestId, traceParent: given });
    const { traceParent } = accepting;
    try {
      const options = traceParent ? { ...wanted.options, trace_parent: traceParent } : wanted.options;
      const admission = await admitTurn({ ...wanted, options }, tx);
      accepting.end(admission.kind);
      return admission;
    } catch (error) {
      accepting.end('refused');
      throw error;
    }
  };

  async function admitTurn(wanted: TurnToAdmit, tx?: Transaction): Promise<Admission> {
    const { workspaceId, turnId, conversationId, run } = wanted;
    const creditUsd = tx ? (await workspaces.getWithin(tx, workspaceId)).creditUsd : null;
    const isMetered = creditUsd !== null;
    const turn = newTurn(wanted, { nodeId, isMetered, now: run?.startedAt ?? clock.now() });
    const written = await turnStore.admit(tx ?? database.acrossWorkspaces, workspaceId, turn);
    // The workspace got its limit after it was read: the next attempt reads it and reserves money.
    if (tx && written.kind === 'needs_reservation') return admitTurn(wanted, tx);
    if (written.kind !== 'admitted') return written;
    const { firstEvent, isHandedOff } = written;
    // After the turn and its conversation, as every step does: another order could deadlock with one.
    if (tx && isMetered && !isHandedOff) {
      const quote = await firstQuote(turn, wanted);
      const reserved = quote && billing.reserve(tx, workspaceId, creditUsd, quote);
      // A slot of a schedule that cannot be paid for is recorded as failed; a run that was asked for reports it itself.
      const wasAskedFor = run !== undefined && run.trigger !== 'schedule';
      const granted = await (wasAskedFor ? reserved?.catch(noneIfInsufficient) : reserved);
      if (granted) await turnStore.setReservation(tx, turn.lease, granted);
    }
    return {
      kind: 'admitted',
      turnId,
      conversationId,
      firstEvent,
      begin() {
        const events = isHandedOff ? [...turn.events, ...(turn.ifHandedOff ?? [])] : turn.events;
        feed.publish(conversationId, numbered(events, firstEvent, turnId), workspaceId);
        if (!isHandedOff) runner.start(turn.lease, () => readState(turn, wanted, firstEvent));
      },
    };
  }

  /** By the conversation as it was read: a turn that came in between changes little. */
  async function firstQuote(turn: NewTurn, { bot, earlier, run }: TurnToAdmit): Promise<Quote | undefined> {
    const { summary, messages } = (await earlier?.history) ?? noHistory;
    const history = { summary, messages: [...messages, ...firstMessages(turn, 0)] };
    try {
      const model = models.ofBot(bot.settings);
      return admissionQuote(model, newState(bot, history, turn.replyId, run), models);
    } catch (error) {
      // A run without a model is admitted too: its conversation reports that it failed, and why.
      if (run && error instanceof AppError && error.code === 'NO_MODEL_CONFIGURED') return undefined;
      throw error;
    }
  }

  async function readState(
    turn: NewTurn,
    { workspaceId, conversationId, bot, newConversation, earlier, run }: TurnToAdmit,
    firstEvent: number,
  ): Promise<TurnState> {
    // Something may have happened since the conversation was read: then it is read again, with this turn in it.
    const isWhole = earlier?.lastSequence === firstEvent - 1;
    const before = newConversation ? noHistory : isWhole ? await earlier?.history : undefined;
    const history = before
      ? { ...before, messages: [...before.messages, ...firstMessages(turn, firstEvent)] }
      : await conversations.history(workspaceId, conversationId);
    return newState(bot, history, turn.replyId, run);
  }
}

/** A triggered run without money is admitted: it fails before its first request, and its conversation reports why. */
function noneIfInsufficient(error: unknown): bigint {
  if (error instanceof AppError && error.code === 'INSUFFICIENT_BALANCE') return 0n;
  throw error;
}

/** Estimates for a tool's description and for passages, which are not known when a turn is admitted. */
const bytesPerTool = 1_000;
const bytesOfPassages = 6_000;

/**
 * What the first reply of a turn can cost, as far as is known at its admission. It is replaced by the exact amount when the
 * request is built, just before it is sent.
 */
function admissionQuote(model: Model, state: TurnState, models: ModelRegistry): Quote {
  const { bot } = state;
  const moreBytes = bot.toolCount * bytesPerTool + (bot.hasKnowledge ? bytesOfPassages : 0);
  const price = requirePrice(model.id, models.priceOf(model.id));
  const quote = quoteRequest(model, modelRequest(state, model), price, { moreBytes });
  const { least, usual } = isGraded(state) ? withMore(quote, gradeAllowance(quote)) : quote;
  return { least, usual, most: usual };
}
