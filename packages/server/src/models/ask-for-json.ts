import { errorCodes } from '@svc/contract/errors';
import { AppError } from '../lib/app-error.ts';
import { addUsage } from './add-usage.ts';
import { askForText, type TextAnswer, type TextLimits } from './ask-for-text.ts';
import { extractJson } from './extract-json.ts';
import type { JsonForm } from './json-form.ts';
import type { Model, ModelRequest, Usage } from './model.ts';
import { ModelError } from './model-error.ts';

export interface JsonPrompt {
  /** Shows what the answer looks like: JSON mode, where there is one, does not. */
  system: string;
  prompt: string;
}

export interface JsonQuestion<Written, Value> extends JsonPrompt {
  signal: AbortSignal;
  /** Converts an answer that fits the schema to its value. Throws an AppError that says what is wrong with it. */
  read(written: Written): Value | Promise<Value>;
  /** Called with every answer, before it is read. */
  onAnswer?(): void;
  /** Called with what is wrong with an answer, before the model is asked again. */
  onRepair?(problem: AppError): void;
}

export type JsonAnswer<Value> = JsonOutcome<Value> & {
  /** The last request that was sent. */
  request: ModelRequest;
  /** Of every attempt; null when the provider counts none. */
  usage: Usage | null;
};

type JsonOutcome<Value> =
  | { kind: 'value'; value: Value }
  /** The model answered with something else; `problem` says what is wrong with it. */
  | { kind: 'unusable'; problem: AppError }
  /** There is no complete answer; `failure` interrupted it. */
  | { kind: 'failed'; failure: Error };

/**
 * Asks a model for a JSON value. If the answer is interrupted or cannot be used, the model is shown what is
 * wrong with it and asked again. Rejects only with what `read` throws that is not an AppError.
 */
export async function askForJson<Written, Value>(
  model: Model,
  form: JsonForm<Written>,
  question: JsonQuestion<Written, Value>,
): Promise<JsonAnswer<Value>> {
  const { signal } = question;
  const limits = { maxCharacters: form.maxCharacters, signal };
  let request = firstRequest(model, form, question);
  let usage: Usage | null = null;
  for (let repairs = 0; ; repairs += 1) {
    const asked = await ask(model, request, limits);
    request = asked.request;
    usage = addUsage(usage, asked.answer.usage);
    const outcome = await readAnswer(asked.answer, form, question);
    const problem = problemOf(outcome, asked.answer);
    if (!problem || repairs === form.repairs) return { ...outcome, request, usage };
    if (signal.aborted) return { kind: 'failed', failure: reasonOf(signal), request, usage };
    question.onRepair?.(problem);
    request = withRepair(request, asked.answer.text.slice(0, form.maxCharacters), problem);
  }
}

function firstRequest<Written>(
  model: Model,
  form: JsonForm<Written>,
  { system, prompt }: JsonPrompt,
): ModelRequest {
  const { jsonMode } = model.capabilities;
  // OpenAI refuses JSON mode unless a message contains the word; the instructions may not count as one.
  const content = jsonMode ? `${prompt}\n\nAnswer in JSON.` : prompt;
  return {
    system,
    messages: [{ role: 'user', content }],
    maxOutputTokens: Math.min(model.maxOutputTokens, form.maxOutputTokens),
    ...(jsonMode && { jsonMode }),
  };
}

/** Older models refuse the JSON mode of their provider, so they are asked again without it. */
async function ask(model: Model, request: ModelRequest, limits: TextLimits) {
  const answer = await askForText(model, request, limits);
  const { failure } = answer;
  const isRefused = failure instanceof ModelError && failure.isBadRequest;
  if (!isRefused || !request.jsonMode) return { request, answer };
  const { jsonMode: _refused, ...plain } = request;
  const second = await askForText(model, plain, limits);
  return { request: plain, answer: { ...second, usage: addUsage(answer.usage, second.usage) } };
}

async function readAnswer<Written, Value>(
  { text, reason, failure }: TextAnswer,
  form: JsonForm<Written>,
  { read, onAnswer }: JsonQuestion<Written, Value>,
): Promise<JsonOutcome<Value>> {
  const isEndless = text.length > form.maxCharacters;
  if (failure && !isEndless) return { kind: 'failed', failure };
  onAnswer?.();
  if (isEndless || reason === 'length') {
    return unusable(answerFault('The answer is too long and was cut off: write less.'));
  }
  const extracted = extractJson(text, { allowProse: true });
  if (extracted.kind === 'broken') return unusable(answerFault(`The answer ${extracted.problem}`));
  try {
    return { kind: 'value', value: await read(form.check(extracted.value)) };
  } catch (error) {
    if (error instanceof AppError) return unusable(error);
    throw error;
  }
}

/** Undefined when asking again would not help: the model itself retries failures before the first character. */
function problemOf(outcome: JsonOutcome<unknown>, { text }: TextAnswer): AppError | undefined {
  if (outcome.kind === 'unusable') return outcome.problem;
  return outcome.kind === 'failed' && text !== '' && isRetryable(outcome.failure)
    ? answerFault('The answer broke off in the middle.')
    : undefined;
}

/** A payment that could not be recorded fails here too, after a whole answer. */
function isRetryable(failure: Error): boolean {
  return failure instanceof AppError && errorCodes[failure.code].retryable;
}

function withRepair(request: ModelRequest, text: string, { message, details }: AppError): ModelRequest {
  const faults = (details ?? []).flatMap((detail) =>
    'path' in detail ? `- ${String(detail.path) || 'The answer'} ${String(detail['message'])}` : [],
  );
  const content = [
    'That cannot be used:',
    faults.length > 0 ? faults.join('\n') : message,
    'Answer again with the whole JSON, corrected, and nothing else.',
  ].join('\n\n');
  const answer = { role: 'assistant' as const, content: text.toWellFormed() || '(nothing)' };
  return { ...request, messages: [...request.messages, answer, { role: 'user', content }] };
}

/** For readers of answers to throw; the message is shown to the model. */
export function answerFault(message: string): AppError {
  return new AppError('VALIDATION_FAILED', { message });
}

function unusable(problem: AppError): JsonOutcome<never> {
  return { kind: 'unusable', problem };
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('The question was withdrawn.', { cause: reason });
}
