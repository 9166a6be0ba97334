import type { Model, ModelRequest } from '../../models/model.ts';
import { newId } from '../../new-id.ts';
import { beginsTurn, modelRequest } from '../context.ts';
import type { TurnDependencies } from '../dependencies.ts';
import { isTraced } from '../is-traced.ts';
import type { TurnLease } from '../lease.ts';
import type { LiveReply } from '../live-replies.ts';
import type { Searched } from '../passages/find-passages.ts';
import { citablePassages } from '../passages/number-passages.ts';
import type { NumberedPassage } from '../passages/numbered-passage.ts';
import { quotePassages } from '../passages/quote-passages.ts';
import type { TurnState } from '../state.ts';
import type { TraceEntry, UsageEntry } from '../step-write.ts';
import { BrokenReply } from './broken-reply.ts';
import { isGraded } from './grade-reply.ts';
import { brokenTrace } from './trace-reply.ts';
import { guessUsage, usageEntry } from './usage-entry.ts';

/** A question to a model. */
export interface Asked {
  /** Of its step in the trace: made first, so that it stands before what follows from the answer. */
  traceId: string;
  model: Model;
  request: ModelRequest;
  /** Knowledge that the request carries. */
  passages: readonly NumberedPassage[];
  startedAt: Date;
}

/** A reply under way, with what it has used and how it went so far. */
export interface Attempt {
  asked: Asked;
  /** What was done before the model could be asked. */
  searched: Searched;
  reply: LiveReply;
  spent: UsageEntry[];
  /** Stays empty for a bot that is not traced. */
  trace: TraceEntry[];
}

export function beginAttempt(
  lease: TurnLease,
  state: TurnState,
  searched: Searched,
  dependencies: TurnDependencies,
): Attempt {
  const { models, telemetry, replies, clock } = dependencies;
  const chosen = models.resolve(state.bot.settings.model ?? models.defaultModelId());
  const model = telemetry.modelOf(lease.turnId, chosen);
  const passages = citablePassages(state);
  const found = passages.slice(0, state.passages?.length);
  const about = state.messages.findLast(beginsTurn)?.content;
  const request = quotePassages(modelRequest(state, model), found, about);
  const asked = { model, request, passages };
  const reply = replies.begin(lease, {
    messageId: state.replyIds.at(-1) ?? newId(),
    retracted: state.replyIds.slice(0, -1),
    isShown: !isGraded(state),
  });
  return {
    asked: { ...asked, traceId: newId(), startedAt: clock.now() },
    searched,
    reply,
    spent: [],
    trace: [],
  };
}

/** What is left of an attempt that came to nothing. */
export function brokenReply(
  { asked, searched, reply, spent, trace }: Attempt,
  state: TurnState,
  cause: unknown,
  dependencies: TurnDependencies,
): BrokenReply {
  const wasCounted = spent.length > 0 || reply.text === '';
  const guess = wasCounted
    ? []
    : [usageEntry(asked.model, guessUsage(asked.request, reply.text), dependencies)];
  const used = [...spent, ...guess];
  const isTold = !isTraced(state) || trace.some(({ type }) => type === 'model');
  const answer = { text: reply.shown, usage: used[0]?.usage ?? null, endedAt: dependencies.clock.now() };
  return new BrokenReply(cause, {
    messageId: reply.messageId,
    text: reply.shown ?? '',
    spent: [...searched.spent, ...used],
    trace: [...searched.trace, ...(isTold ? trace : [brokenTrace(asked, answer, cause), ...trace])],
  });
}
