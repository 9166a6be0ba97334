import type { ModelProvider } from '../provider.ts';
import type { ProviderOptions } from '../provider-options.ts';
import { createAiSdkModel } from './ai-sdk-model.ts';
import { withVersionPath } from './base-url.ts';

export interface GoogleOptions extends ProviderOptions {
  apiKey: string;
  baseUrl?: string;
}

export function createGoogleProvider(options: GoogleOptions): ModelProvider {
  const settings = {
    apiKey: options.apiKey,
    baseURL: withVersionPath(options.baseUrl ?? 'https://generativelanguage.googleapis.com', '/v1beta'),
    fetch: options.lane.fetch,
  };
  async function load(modelName: string) {
    const { createGoogle } = await import('@ai-sdk/google');
    return createGoogle(settings)(modelName);
  }
  return {
    name: 'google',
    create(modelName) {
      const identity = { provider: 'google', modelName, secrets: [options.apiKey] };
      return createAiSdkModel(() => load(modelName), identity, options);
    },
  };
}
