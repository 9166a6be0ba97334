import type { Connection } from '../providers/provider.ts';
import type { ReplyAttempt } from '../reply-attempt.ts';
import { createAiSdkAttempt } from './ai-sdk-attempt.ts';
import { withVersionPath } from './base-url.ts';

export function createAnthropicAttempt(connection: Connection): ReplyAttempt {
  // Both are always given: without them the SDK would read the environment itself.
  const { apiKey = '', baseUrl = 'https://api.anthropic.com', identity, lane } = connection;
  return createAiSdkAttempt(async () => {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    const settings = { apiKey, baseURL: withVersionPath(baseUrl, '/v1'), fetch: lane.fetch };
    return createAnthropic(settings)(identity.modelName);
  }, connection);
}
