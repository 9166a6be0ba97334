import { AppError } from '../app-error.ts';
import { askInWords } from '../models/ask-in-words.ts';
import type { Model, ModelMessage } from '../models/model.ts';
import { draftFailed } from './failure.ts';
import { guardWritten } from './guard-written.ts';
import type { DiscoverJob } from './job.ts';

export interface Question<Draft> {
  system: string;
  prompt: string;
  /** Throws VALIDATION_FAILED that says what is wrong with what the model wrote. */
  read(written: unknown): Draft | Promise<Draft>;
}

const mostRepairs = 3;
const mostOutputTokens = 16_000;
/** A reply that is longer than this is no draft of ours. */
const mostCharacters = 400_000;

/** Asks until the draft is valid: each time the model is told what is wrong with the one before. */
export async function askModel<Draft>(
  model: Model,
  { system, prompt, read }: Question<Draft>,
  job: DiscoverJob,
): Promise<Draft> {
  const messages: ModelMessage[] = [{ role: 'user', content: prompt }];
  job.onProgress('drafting', `Asking ${model.id}.`);
  for (let repairs = 0; ; repairs += 1) {
    const reply = await replyOf(model, system, messages, job.signal);
    job.onProgress('checking', 'Checking the draft.');
    try {
      return await read(parseReply(reply));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (repairs === mostRepairs) throw unusable(error);
      job.onProgress('repairing', error.message);
      messages.push(
        { role: 'assistant', content: reply.text || '(nothing)' },
        { role: 'user', content: repairPrompt(error) },
      );
    }
  }
}

interface Reply {
  text: string;
  isCut: boolean;
}

async function replyOf(
  model: Model,
  system: string,
  messages: readonly ModelMessage[],
  signal: AbortSignal,
): Promise<Reply> {
  const maxOutputTokens = Math.min(model.maxOutputTokens, mostOutputTokens);
  const request = { system, messages, maxOutputTokens, responseFormat: { type: 'json' } } as const;
  const { text, reason, failure } = await askInWords(model, request, { mostCharacters, signal });
  if (text.length > mostCharacters) return { text: text.slice(0, mostCharacters), isCut: true };
  if (failure) throw failure;
  return { text, isCut: reason === 'length' };
}

function parseReply({ text, isCut }: Reply): unknown {
  if (isCut) throw fault('The reply is too long and was cut off: draft less.');
  const json = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text;
  let written: unknown;
  try {
    written = JSON.parse(json);
  } catch (error) {
    throw fault(`The reply is not valid JSON: ${(error as Error).message}`);
  }
  guardWritten(written);
  return written;
}

function fault(message: string): AppError {
  return new AppError('VALIDATION_FAILED', { message });
}

function repairPrompt(error: AppError): string {
  const fields = (error.details ?? []).flatMap((detail) =>
    'path' in detail ? `- ${String(detail.path)} ${String(detail['message'])}` : [],
  );
  return [
    'That cannot be used:',
    fields.length > 0 ? fields.join('\n') : error.message,
    'Answer again with the whole JSON object, corrected, and nothing else.',
  ].join('\n\n');
}

function unusable(error: AppError): AppError {
  const { code, message, details = [] } = error;
  const faults = details.flatMap((detail) =>
    'path' in detail ? [{ path: String(detail.path), message: String(detail['message']) }] : [],
  );
  return draftFailed(
    `The model gave no usable draft in ${mostRepairs + 1} attempts. The last fault: ${message}`,
    faults.length > 0 ? faults : [{ code, message }],
    error,
  );
}
