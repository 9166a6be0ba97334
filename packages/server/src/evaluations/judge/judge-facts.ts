import type { JudgedFact } from '@svc/contract/evaluations';
import { AppError } from '../../lib/app-error.ts';
import { askForJson } from '../../models/ask-for-json.ts';
import type { Model } from '../../models/model.ts';
import { instructions, type JudgedMessage, questionAbout } from './judge-question.ts';
import { judgementForm, readJudgement, type WrittenJudgement } from './judgement.ts';

export interface Judging {
  facts: JudgedFact[];
  /** Why there is no judgement. */
  problem?: { code: string; message: string };
  /** The model's failure, if that is why. */
  failure?: AppError;
}

/** Of the context window; the rest is for the instructions and the answer. */
const shareOfWindow = 0.5;
const maxInputTokens = 32_000;

/** Asks a model which facts hold. A model that cannot judge is an outcome; throws only for internal failures. */
export async function judgeFacts(
  model: Model,
  expected: readonly string[],
  conversation: readonly JudgedMessage[],
  signal: AbortSignal,
): Promise<Judging> {
  const maxTokens = Math.min(maxInputTokens, Math.floor(model.contextWindow * shareOfWindow));
  const answer = await askForJson(model, judgementForm, {
    system: instructions,
    prompt: questionAbout(expected, conversation, maxTokens),
    signal,
    read: (written: WrittenJudgement) => readJudgement(written, expected),
  });
  switch (answer.kind) {
    case 'value':
      return { facts: answer.value };
    case 'unusable':
      return { facts: [], problem: unjudged('UPSTREAM_FAILED', answer.problem.message) };
    case 'failed': {
      const { failure } = answer;
      if (!(failure instanceof AppError)) throw failure;
      return { facts: [], failure, problem: unjudged(failure.code, failure.message) };
    }
  }
}

function unjudged(code: string, reason: string): { code: string; message: string } {
  return { code, message: `The facts could not be judged: ${reason}` };
}
