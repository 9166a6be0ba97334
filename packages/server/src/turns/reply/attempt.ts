import { rulesOf } from '@svc/contract/channels';
import { newId } from '../../lib/new-id.ts';
import type { TurnLease } from '../run/lease.ts';
import { isTraced, type TurnState } from '../state.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import type { TraceEntry } from '../write/step-changes.ts';
import type { Asked } from './asked.ts';
import { BrokenReply } from './broken-reply.ts';
import { modelRequest } from './context/model-request.ts';
import { isGraded } from './grade-reply.ts';
import type { LiveReply } from './live-replies.ts';
import { type CitationMarks, createCitationMarks } from './passages/citation-marks.ts';
import { citationsOf } from './passages/citations-of.ts';
import type { Searched } from './passages/find-passages.ts';
import { numberSearched } from './passages/number-passages.ts';
import { openPurse, type Purse } from './purse.ts';
import { brokenTrace } from './trace-reply.ts';

/** A reply in progress, with its usage and trace so far. */
export interface Attempt {
  asked: Asked;
  /** The search for passages before the request. */
  searched: Searched;
  reply: LiveReply;
  /** What it has cited so far. */
  marks: CitationMarks;
  /** Pays for every request, including failed ones. */
  purse: Purse;
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
  const chosen = models.ofBot(state.bot.settings);
  const observed = telemetry.modelOf(lease.turnId, chosen);
  const messageId = state.replyIds.at(-1) ?? newId();
  const traceId = newId();
  const purse = openPurse(lease, observed, dependencies, { messageId, isGraded: isGraded(state) });
  const model = purse.modelOf(traceId);
  const request = modelRequest(state, model, rulesOf(lease.channel).modelNote);
  const passages = [...(request.passages ?? []), ...numberSearched(state)];
  const asked = { model, request, passages };
  const reply = replies.begin(lease, {
    messageId,
    retracted: state.replyIds.slice(0, -1),
    isShown: !isGraded(state),
  });
  return {
    asked: { ...asked, traceId, startedAt: clock.now() },
    searched,
    reply,
    marks: createCitationMarks(passages),
    purse,
    trace: [],
  };
}

/** What remains of a failed attempt. */
export function brokenReply(
  { asked, searched, reply, marks, purse: { spent }, trace }: Attempt,
  state: TurnState,
  cause: unknown,
  dependencies: TurnDependencies,
): BrokenReply {
  const isTold = !isTraced(state) || trace.some(({ type }) => type === 'model');
  const answer = { text: reply.shown, usage: spent[0]?.usage ?? null, endedAt: dependencies.clock.now() };
  return new BrokenReply(cause, {
    messageId: reply.messageId,
    text: reply.shown ?? '',
    citations: citationsOf(reply.shown ?? '', marks.cited(), asked.passages),
    spent: [...searched.spent, ...spent],
    trace: [...searched.trace, ...(isTold ? trace : [brokenTrace(asked, answer, cause), ...trace])],
  });
}
