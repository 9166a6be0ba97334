import type { JudgedFact } from '@svc/contract/evaluations';
import { AppError } from '../../app-error.ts';
import { askInWords, type WordedAnswer } from '../../models/ask-in-words.ts';
import type { Model, ModelMessage, ModelRequest } from '../../models/model.ts';
import { readJudgement } from './judgement.ts';
import { instructions, questionAbout, repairPrompt, type SaidMessage } from './question.ts';

/** What came of asking. */
export interface Judging {
  facts: JudgedFact[];
  /** Why there is no judgement, when there is none. */
  problem?: { code: string; message: string };
  /** What kept the model from judging. */
  failure?: AppError;
}

const mostOutputTokens = 16_000;
const mostCharacters = 200_000;
/** Of the context window, for what is judged: the rest is for the instructions and the answer. */
const shareOfWindow = 0.5;
const mostInputTokens = 32_000;

/**
 * Asks a model which facts hold, and once more when its answer cannot be read. Never throws for what the model does: that it
 * could not judge is an outcome. No JSON mode is asked for: servers that do not know it
 * refuse the whole request.
 */
export async function judgeFacts(
  model: Model,
  expected: readonly string[],
  conversation: readonly SaidMessage[],
  signal: AbortSignal,
): Promise<Judging> {
  const most = Math.min(mostInputTokens, Math.floor(model.contextWindow * shareOfWindow));
  const messages: ModelMessage[] = [{ role: 'user', content: questionAbout(expected, conversation, most) }];
  for (let repairs = 0; ; repairs += 1) {
    const answer = await ask(model, messages, signal);
    const { failure } = answer;
    if (failure) return { facts: [], failure, problem: problemOf(failure) };
    const read = readJudgement(answer.text, expected);
    if (read.kind === 'judged') return { facts: read.facts };
    if (repairs > 0) return { facts: [], problem: unreadable(read.problem) };
    messages.push(
      { role: 'assistant', content: answer.text || '(nothing)' },
      { role: 'user', content: repairPrompt(read.problem) },
    );
  }
}

async function ask(model: Model, messages: readonly ModelMessage[], signal: AbortSignal): Promise<Answer> {
  const request: ModelRequest = {
    system: instructions,
    messages: [...messages],
    maxOutputTokens: Math.min(model.maxOutputTokens, mostOutputTokens),
  };
  const { text, failure } = await askInWords(model, request, { mostCharacters, signal });
  if (failure && !(failure instanceof AppError)) throw failure;
  return { text, failure };
}

interface Answer extends Pick<WordedAnswer, 'text'> {
  failure: AppError | undefined;
}

function problemOf({ code, message }: AppError): { code: string; message: string } {
  return { code, message: `The facts could not be judged: ${message}` };
}

function unreadable(problem: string): { code: string; message: string } {
  return { code: 'UPSTREAM_FAILED', message: `The facts could not be judged: ${problem}` };
}
