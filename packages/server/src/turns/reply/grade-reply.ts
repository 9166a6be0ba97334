import type { RequestQuote } from '../../billing/billing.service.ts';
import type { NanoUsd } from '../../lib/money.ts';
import { newId } from '../../lib/new-id.ts';
import type { Model, ModelRequest } from '../../models/model.ts';
import type { TurnState } from '../state.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import type { TraceEntry } from '../write/step-changes.ts';
import type { Grade, WholeReply } from './reply-quality.ts';
import { shownRequest } from './trace-reply.ts';

/** A grade is short, but models may think before it. */
const gradeOutputTokens = 500;

export interface GradedReply {
  grade: Grade;
  trace: TraceEntry;
}

/** A graded reply is not shown before its grade is known. */
export function isGraded({ bot }: Pick<TurnState, 'bot'>): boolean {
  return bot.settings.enable_confidence_scoring === true;
}

export async function gradeReply(
  request: ModelRequest,
  modelOf: (traceStepId: string) => Model,
  said: Pick<WholeReply, 'turnId' | 'bot' | 'text'>,
  dependencies: TurnDependencies,
  signal: AbortSignal,
): Promise<GradedReply> {
  const { quality, clock } = dependencies;
  const id = newId();
  const startedAt = clock.now();
  const grade = await quality.grade({ ...said, model: modelOf(id), request }, signal);
  return {
    grade,
    trace: {
      id,
      type: 'confidence',
      name: 'Confidence',
      status: grade.score === null ? 'error' : 'ok',
      startedAt,
      durationMs: clock.now().getTime() - startedAt.getTime(),
      input: grade.question && shownRequest(grade.question),
      output: { score: grade.score, refused: grade.replacement !== null },
      usage: grade.usage,
      error: grade.problem,
    },
  };
}

/** A grade costs about what the reply did: the same request with the reply added. */
export function gradeAllowance(reply: Pick<RequestQuote, 'costWith'>): NanoUsd {
  return reply.costWith(gradeOutputTokens);
}
