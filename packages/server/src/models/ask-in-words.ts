import { AppError } from '../app-error.ts';
import type { FinishReason, Model, ModelRequest, Usage } from './model.ts';
import { estimateUsage } from './token-estimate.ts';

/** What came of a question, also when the answer broke off. */
export interface WordedAnswer {
  text: string;
  /** Null when nothing was said, and so nothing counted. */
  usage: Usage | null;
  /** Undefined for an answer that is not whole. */
  reason: FinishReason | undefined;
  /** What broke it off; undefined when the answer is whole. */
  failure: Error | undefined;
}

/** Asks for text that nobody watches being written. Never rejects; an answer without end is broken off. */
export async function askInWords(
  model: Model,
  request: ModelRequest,
  { mostCharacters, signal }: { mostCharacters: number; signal: AbortSignal },
): Promise<WordedAnswer> {
  const answer: WordedAnswer = { text: '', usage: null, reason: undefined, failure: undefined };
  try {
    await model.reply(
      request,
      (part) => {
        if (part.type === 'text') answer.text += part.text;
        if (part.type === 'finish') Object.assign(answer, { usage: part.usage, reason: part.reason });
        if (answer.text.length > mostCharacters)
          throw new AppError('UPSTREAM_FAILED', { message: 'The answer has no end.' });
      },
      signal,
    );
  } catch (error) {
    answer.failure = error instanceof Error ? error : new Error('The reply broke off.', { cause: error });
  }
  // The provider counts what it sent, whether it was needed to the end or not.
  if (answer.text) answer.usage ??= estimateUsage(request, { bytes: Buffer.byteLength(answer.text) });
  return answer;
}
