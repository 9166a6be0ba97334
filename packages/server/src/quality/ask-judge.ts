import { askInWords, type WordedAnswer } from '../models/ask-in-words.ts';
import type { Model, ModelRequest } from '../models/model.ts';

export type JudgeQuestion = Pick<ModelRequest, 'system' | 'messages'>;

/** A short answer, with room for models that think before they speak. */
const mostOutputTokens = 4_000;
const mostCharacters = 50_000;

/**
 * Asks a model for its judgement. Never rejects. No JSON mode is asked for: servers that do not know it refuse the whole
 * request, and the question says what the answer looks like.
 */
export function askJudge(
  model: Model,
  { system, messages }: JudgeQuestion,
  signal: AbortSignal,
): Promise<WordedAnswer> {
  const request: ModelRequest = {
    ...(system !== undefined && { system }),
    messages,
    maxOutputTokens: Math.min(model.maxOutputTokens, mostOutputTokens),
  };
  return askInWords(model, request, { mostCharacters, signal });
}
