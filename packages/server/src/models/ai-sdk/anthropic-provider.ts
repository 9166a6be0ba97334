import type { ModelProvider } from '../provider.ts';
import type { ProviderOptions } from '../provider-options.ts';
import { createAiSdkModel } from './ai-sdk-model.ts';
import { withVersionPath } from './base-url.ts';

export interface AnthropicOptions extends ProviderOptions {
  apiKey: string;
  baseUrl?: string;
}

export function createAnthropicProvider(options: AnthropicOptions): ModelProvider {
  const settings = {
    apiKey: options.apiKey,
    // Always given: left out, the SDK would read the environment by itself.
    baseURL: withVersionPath(options.baseUrl ?? 'https://api.anthropic.com', '/v1'),
    fetch: options.lane.fetch,
  };
  async function load(modelName: string) {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic(settings)(modelName);
  }
  return {
    name: 'anthropic',
    create(modelName) {
      const identity = { provider: 'anthropic', modelName, secrets: [options.apiKey] };
      return createAiSdkModel(() => load(modelName), identity, options);
    },
  };
}
