import { AppError } from '../lib/app-error.ts';
import { addUsage } from './add-usage.ts';
import type { FinishReason, Model, ModelRequest, Usage } from './model.ts';

/** What the model wrote, even if it was interrupted. */
export interface TextAnswer {
  text: string;
  /** Of every attempt; null when the provider counts none. */
  usage: Usage | null;
  /** Undefined for an incomplete answer. */
  reason: FinishReason | undefined;
  /** What interrupted it; undefined when the answer is complete. */
  failure: Error | undefined;
}

export interface TextLimits {
  /** A longer answer is aborted. */
  maxCharacters: number;
  signal: AbortSignal;
}

/** Asks for text that is not streamed to a reader. Never rejects. */
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
