import { AppError } from '../app-error.ts';
import { addUsage } from './add-usage.ts';
import type { FinishReason, Model, ModelRequest, Usage } from './model.ts';

/** What the model wrote, even if it broke off. */
export interface TextAnswer {
  text: string;
  /** Of every attempt; null when the provider counts none. */
  usage: Usage | null;
  /** Undefined for an answer that is not whole. */
  reason: FinishReason | undefined;
  /** What broke it off; undefined when the answer is whole. */
  failure: Error | undefined;
}

export interface TextLimits {
  /** A longer answer is broken off. */
  maxCharacters: number;
  signal: AbortSignal;
}

/** Asks for text that nobody watches being written. Never rejects. */
export async function askForText(
  model: Model,
  request: ModelRequest,
  { maxCharacters, signal }: TextLimits,
): Promise<TextAnswer> {
  const answer: TextAnswer = { text: '', usage: null, reason: undefined, failure: undefined };
  try {
    await model.reply(
      request,
      (part) => {
        if (part.type === 'text') append(answer, part.text, maxCharacters);
        if (part.type === 'finish') answer.reason = part.reason;
        if (part.type === 'finish' || part.type === 'lost') answer.usage = addUsage(answer.usage, part.usage);
      },
      signal,
    );
  } catch (error) {
    answer.failure = error instanceof Error ? error : new Error('The reply broke off.', { cause: error });
  }
  return answer;
}

function append(answer: TextAnswer, text: string, maxCharacters: number): void {
  answer.text += text;
  if (answer.text.length > maxCharacters) {
    throw new AppError('UPSTREAM_FAILED', {
      message: `The answer is longer than ${maxCharacters} characters.`,
    });
  }
}
