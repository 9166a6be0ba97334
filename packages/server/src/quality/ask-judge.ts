import { AppError } from '../app-error.ts';
import type { Model, ModelRequest, Usage } from '../models/model.ts';
import { estimateUsage } from '../models/token-estimate.ts';

export interface JudgeAnswer {
  text: string;
  /** Null when nothing was said, and so nothing counted. */
  usage: Usage | null;
  /** What broke it off; undefined when the answer is whole. */
  failure: unknown;
}

export type JudgeQuestion = Pick<ModelRequest, 'system' | 'messages'>;

/** A short answer, with room for models that think before they speak. */
const mostOutputTokens = 4_000;
const mostCharacters = 50_000;

/**
 * Asks a model for its judgement. Never throws. No JSON mode is asked for: servers that do not know it refuse the whole
 * request, and the question says what the answer looks like.
 */
export async function askJudge(
  model: Model,
  { system, messages }: JudgeQuestion,
  signal: AbortSignal,
): Promise<JudgeAnswer> {
  const request: ModelRequest = {
    ...(system !== undefined && { system }),
    messages,
    maxOutputTokens: Math.min(model.maxOutputTokens, mostOutputTokens),
  };
  let text = '';
  let usage: Usage | null = null;
  const guess = () => (text ? estimateUsage(request, { bytes: Buffer.byteLength(text) }) : null);
  try {
    for await (const part of model.stream(request, signal)) {
      if (part.type === 'text') text += part.text;
      if (part.type === 'finish') usage = part.usage;
      if (text.length > mostCharacters)
        throw new AppError('UPSTREAM_FAILED', { message: 'The answer has no end.' });
    }
    return { text, usage: usage ?? guess(), failure: undefined };
  } catch (failure) {
    return { text, usage: usage ?? guess(), failure };
  }
}
