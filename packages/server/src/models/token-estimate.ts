import type { ModelRequest, Usage } from './model.ts';

/** About four bytes of UTF-8 are a token: close enough for English, and for scripts with three bytes per character. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

const tokensOfImage = 1_500;

/** All that a request shows to the model. */
export function countImages({ messages }: Pick<ModelRequest, 'messages'>): number {
  return messages.flatMap((message) => (message.role === 'assistant' ? [] : (message.images ?? []))).length;
}

/** For a reply whose provider reported no usage. Never more than the reply was allowed to have. */
export function estimateUsage(request: ModelRequest, output: { bytes: number }): Usage {
  const input = estimateTokens(JSON.stringify([request.system, request.messages, request.tools]));
  return {
    inputTokens: input + countImages(request) * tokensOfImage,
    cachedInputTokens: 0,
    outputTokens: Math.min(Math.ceil(output.bytes / 4), request.maxOutputTokens ?? Number.POSITIVE_INFINITY),
  };
}
