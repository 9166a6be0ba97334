import type { Usage as WireUsage } from '@svc/contract/conversations';
import type { Usage } from '../models/model.ts';

export function wireUsage(usage: Usage): WireUsage {
  return {
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
  };
}
