import { AppError } from '../../lib/app-error.ts';
import { askForJson } from '../../models/ask-for-json.ts';
import type { Model, ModelRequest, Usage } from '../../models/model.ts';
import { instructions } from './completion-question.ts';
import { readVerdict, type Verdict, verdictForm } from './completion-verdict.ts';

export interface AskedVerdict {
  /** Undefined when there is none; `failure` says why. */
  verdict: Verdict | undefined;
  failure: unknown;
  request: ModelRequest;
  /** Of every attempt; null when the provider counts none. */
  usage: Usage | null;
}

/** Asks a model whether a goal is reached. Never throws, because what it used must be paid for. */
export async function askVerdict(model: Model, prompt: string, signal: AbortSignal): Promise<AskedVerdict> {
  const question = { system: instructions, prompt, signal, read: readVerdict };
  const answer = await askForJson(model, verdictForm, question);
  const { request, usage } = answer;
  switch (answer.kind) {
    case 'value':
      return { verdict: answer.value, failure: undefined, request, usage };
    case 'unusable': {
      const failure = uncheckable('the model gave no verdict that can be read.', answer.problem);
      return { verdict: undefined, failure, request, usage };
    }
    case 'failed':
      return { verdict: undefined, failure: failureOf(answer.failure), request, usage };
  }
}

function failureOf(failure: Error): Error {
  if (!(failure instanceof AppError) || failure.code === 'INSUFFICIENT_BALANCE') return failure;
  return uncheckable(failure.message, failure);
}

function uncheckable(reason: string, cause: Error): AppError {
  return new AppError('GOAL_CHECK_FAILED', {
    message: `Whether the goal was reached could not be checked: ${reason}`,
    cause,
  });
}
