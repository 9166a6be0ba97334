import { AppError } from '../app-error.ts';
import type { FinishReason, Model, ModelRequest, Usage } from './model.ts';

/** What came of a question, even if the answer broke off. */
export interface WordedAnswer {
  text: string;
  /** Of every attempt; null when the provider counts none. */
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
        if (part.type === 'text') append(answer, part.text, mostCharacters);
        if (part.type === 'finish') answer.reason = part.reason;
        if (part.type === 'finish' || part.type === 'lost') answer.usage = sum(answer.usage, part.usage);
      },
      signal,
    );
  } catch (error) {
    answer.failure = error instanceof Error ? error : new Error('The reply broke off.', { cause: error });
  }
  return answer;
}

function append(answer: WordedAnswer, text: string, mostCharacters: number): void {
  answer.text += text;
  if (answer.text.length > mostCharacters) {
    throw new AppError('UPSTREAM_FAILED', { message: 'The answer has no end.' });
  }
}

function sum(left: Usage | null, right: Usage): Usage {
  if (!left) return right;
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    cachedInputTokens: left.cachedInputTokens + right.cachedInputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
  };
}
