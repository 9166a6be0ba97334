import { AppError } from '../../app-error.ts';
import { askInWords, type WordedAnswer } from '../../models/ask-in-words.ts';
import type { Model, ModelMessage, ModelRequest, Usage } from '../../models/model.ts';
import { addUsage, noUsage } from '../state.ts';
import { instructions, repairPrompt } from './question.ts';
import { readVerdict, type Verdict } from './verdict.ts';

/** What came of asking; even if nothing did, what was asked last and what it used. */
export interface AskedVerdict {
  /** Undefined when no verdict could be had; `failure` says why. */
  verdict: Verdict | undefined;
  failure: unknown;
  request: ModelRequest;
  /** Of every time it was asked; null when the model never said anything. */
  usage: Usage | null;
}

const mostOutputTokens = 16_000;
const mostCharacters = 100_000;

/**
 * Asks a model whether a goal is reached, and once more when its answer cannot be read or broke off in the middle.
 * Never throws: what it used must be paid for all the same.
 */
export async function askVerdict(model: Model, question: string, signal: AbortSignal): Promise<AskedVerdict> {
  const limits = { mostCharacters, signal };
  const first = requestOf(model, [{ role: 'user', content: question }]);
  const answer = await askInWords(model, first, limits);
  const verdict = verdictOf(answer);
  if (!(verdict instanceof Unclear) || signal.aborted) return outcomeOf(first, verdict, answer.usage);

  const again = requestOf(model, [
    ...first.messages,
    ...(answer.text ? [{ role: 'assistant' as const, content: answer.text }] : []),
    { role: 'user', content: repairPrompt(verdict.message) },
  ]);
  const second = await askInWords(model, again, limits);
  return outcomeOf(again, verdictOf(second), sum(answer.usage, second.usage));
}

/** Something was said, and it is no verdict: worth asking again. */
class Unclear extends Error {}

function verdictOf({ text, failure }: WordedAnswer): Verdict | Error {
  if (failure && !text) return failure instanceof Error ? failure : new Error('The model failed.');
  if (failure) return new Unclear('It broke off in the middle.');
  const read = readVerdict(text);
  return read.kind === 'verdict' ? read.verdict : new Unclear(read.problem);
}

function outcomeOf(request: ModelRequest, verdict: Verdict | Error, usage: Usage | null): AskedVerdict {
  if (!(verdict instanceof Error)) return { verdict, failure: undefined, request, usage };
  return { verdict: undefined, failure: failureOf(verdict), request, usage };
}

function failureOf(error: Error): Error {
  const isOurs = error instanceof AppError || error instanceof Unclear;
  if (!isOurs || (error instanceof AppError && error.code === 'INSUFFICIENT_BALANCE')) return error;
  const reason = error instanceof Unclear ? 'the model gave no verdict that can be read.' : error.message;
  return new AppError('GOAL_CHECK_FAILED', {
    message: `Whether the goal was reached could not be checked: ${reason}`,
    cause: error,
  });
}

function requestOf(model: Model, messages: readonly ModelMessage[]): ModelRequest {
  return {
    system: instructions,
    messages,
    maxOutputTokens: Math.min(model.maxOutputTokens, mostOutputTokens),
    responseFormat: { type: 'json' },
  };
}

function sum(left: Usage | null, right: Usage | null): Usage | null {
  return left || right ? addUsage(left ?? noUsage, right ?? noUsage) : null;
}
