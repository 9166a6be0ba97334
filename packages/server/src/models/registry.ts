import { AppError, invalid } from '../app-error.ts';
import type { TrustedLane } from '../egress/trusted-lane.ts';
import { createAnthropicProvider } from './ai-sdk/anthropic-provider.ts';
import { createGoogleProvider } from './ai-sdk/google-provider.ts';
import type { Model } from './model.ts';
import { createOpenAiProvider, type OpenAiWire } from './openai/openai-provider.ts';
import { type Price, type PriceOverrides, priceOf } from './prices.ts';
import type { ModelProvider } from './provider.ts';
import type { ProviderOptions } from './provider-options.ts';
import { defaultRetryPolicy, type RetryPolicy } from './retry.ts';
import type { TimeLimits } from './time-limits.ts';
import { type ModelWindow, windowOf } from './windows.ts';

export interface ModelRegistry {
  /** The model of a `provider/model` id. Throws VALIDATION_FAILED or NO_MODEL_CONFIGURED; asks nobody over the network. */
  resolve(id: string): Model;
  /** The id for a bot that names none. */
  defaultModelId(): string;
  /** Whether the id is well formed and its provider one of ours, configured or not. */
  isKnownProvider(id: string): boolean;
  /** The names of the providers that a key or an address makes usable; the built-in one is not among them. */
  configured(): string[];
  /** Undefined when nobody knows what the model costs. */
  priceOf(id: string): Price | undefined;
}

export interface ModelRegistryOptions {
  providers: {
    openai?: { apiKey?: string; baseUrl?: string; wire?: OpenAiWire };
    anthropic?: { apiKey?: string; baseUrl?: string };
    google?: { apiKey?: string; baseUrl?: string };
  };
  /** Providers that are made elsewhere: `{ name: 'builtin', create }`. */
  additional?: readonly ModelProvider[];
  defaultModel?: string;
  prices?: PriceOverrides;
  windows?: Readonly<Record<string, ModelWindow>>;
  lane: TrustedLane;
  limits?: Partial<TimeLimits>;
  retry?: Partial<RetryPolicy>;
}

/** In the order in which one of them becomes the default. */
const defaultModels = new Map([
  ['openai', 'openai/gpt-5.6-terra'],
  ['anthropic', 'anthropic/claude-sonnet-5-5'],
  ['google', 'google/gemini-3.8-flash'],
]);

export function createModelRegistry(options: ModelRegistryOptions): ModelRegistry {
  const shared: ProviderOptions = {
    lane: options.lane,
    limits: options.limits ?? {},
    retry: { ...defaultRetryPolicy, ...options.retry },
    windowOf: (id) => windowOf(id, options.windows),
  };
  const hosted = hostedProviders(options.providers, shared);
  const usable = new Map([...hosted, ...(options.additional ?? [])].map((one) => [one.name, one]));
  const known = new Set([...defaultModels.keys(), ...usable.keys()]);

  return {
    resolve(id) {
      const parts = splitModelId(id);
      if (!parts) throw invalid('model', 'must look like provider/model.');
      if (!known.has(parts.provider)) {
        throw invalid('model', `names an unknown provider: use one of ${[...known].join(', ')}.`);
      }
      const provider = usable.get(parts.provider);
      if (!provider) {
        throw new AppError('NO_MODEL_CONFIGURED', {
          message: `The model provider ${parts.provider} is not configured.`,
        });
      }
      return provider.create(parts.name);
    },
    defaultModelId() {
      if (options.defaultModel) return options.defaultModel;
      const first = [...defaultModels].find(([name]) => usable.has(name));
      return first?.[1] ?? 'builtin/extractive';
    },
    isKnownProvider: (id) => known.has(splitModelId(id)?.provider ?? ''),
    configured: () => hosted.map((provider) => provider.name),
    priceOf: (id) => priceOf(id, options.prices),
  };
}

/** A local server needs no key, so an address is enough for the OpenAI wire. The others are services with keys. */
function hostedProviders(
  { openai, anthropic, google }: ModelRegistryOptions['providers'],
  shared: ProviderOptions,
): ModelProvider[] {
  return [
    ...(openai?.apiKey || openai?.baseUrl ? [createOpenAiProvider({ ...shared, ...openai })] : []),
    ...(anthropic?.apiKey
      ? [createAnthropicProvider({ ...shared, ...anthropic, apiKey: anthropic.apiKey })]
      : []),
    ...(google?.apiKey ? [createGoogleProvider({ ...shared, ...google, apiKey: google.apiKey })] : []),
  ];
}

/** Not in the pattern: counting there is what takes the time, and every turn asks. */
const longestName = 200;

/** A model's own name may hold more slashes: `openai/meta-llama/llama-4`. */
function splitModelId(id: string): { provider: string; name: string } | undefined {
  const match = /^([a-z0-9-]+)\/([\w.:@/+-]+)$/.exec(id);
  const [, provider, name = ''] = match ?? [];
  return provider && name.length <= longestName ? { provider, name } : undefined;
}
