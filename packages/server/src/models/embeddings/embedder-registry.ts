import type { TrustedLane } from '../../egress/trusted-lane.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Log } from '../../lib/log.ts';
import { splitModelId } from '../model-id.ts';
import type { ProviderConfigs } from '../providers/provider.ts';
import { noObserver, type ProviderObserver } from '../providers/provider-observer.ts';
import { findProvider, isUsable, providers } from '../providers/providers.ts';
import { defaultRetryPolicy, type RetryPolicy } from '../retry.ts';
import { createEmbedder, defaultEmbeddingLimits, type EmbeddingLimits } from './create-embedder.ts';
import type { Embedder } from './embedder.ts';
import type { EmbeddingSource } from './embedding-source.ts';

export type EmbedderRegistry = ReturnType<typeof createEmbedderRegistry>;

export interface EmbedderRegistryOptions {
  providers: ProviderConfigs;
  /** `provider/model`; the first configured provider's own when left out. */
  model?: string;
  lane: TrustedLane;
  log: Log;
  limits?: Partial<EmbeddingLimits>;
  retry?: Partial<RetryPolicy>;
  observer?: ProviderObserver;
}

export function createEmbedderRegistry(options: EmbedderRegistryOptions) {
  const { lane, log, observer = noObserver } = options;
  const retry = { ...defaultRetryPolicy, ...options.retry };
  const limits = { ...defaultEmbeddingLimits, ...options.limits };
  const made = new Map<string, Embedder>();
  const sources: Promise<EmbeddingSource>[] = [];

  function make(id: string): Embedder | undefined {
    const { provider: providerName = '', name: modelName = '' } = splitModelId(id) ?? {};
    const provider = findProvider(providerName);
    if (!provider?.embeddings || !isUsable(provider, options.providers)) return undefined;
    const { load, defaultModel, dimensions: known, maxCharacters, batchSize } = provider.embeddings;
    if (!provider.access && modelName !== defaultModel) return undefined;
    const config = options.providers[provider.name] ?? {};
    const secrets = config.apiKey ? [config.apiKey] : [];
    const identity = { provider: provider.name, modelName, secrets };
    const dimensions = Object.hasOwn(known, modelName) ? known[modelName] : undefined;
    const source = load().then((create) => create({ ...config, identity, dimensions, lane, log }));
    sources.push(source);
    return createEmbedder({
      identity,
      dimensions,
      maxCharacters,
      batchSize,
      isFree: !provider.access,
      attempt: async (...batch) => (await source).embed(...batch),
      retry,
      limits,
      observer,
    });
  }

  /** For vectors of an earlier model; undefined when its provider is no longer configured. */
  function find(id: string): Embedder | undefined {
    const embedder = made.get(id) ?? make(id);
    if (embedder) made.set(id, embedder);
    return embedder;
  }

  const currentId = options.model ?? defaultEmbeddingModel(options.providers);
  const current = find(currentId);
  if (!current) {
    throw new AppError('NO_MODEL_CONFIGURED', {
      message: `SVC_EMBEDDING_MODEL names ${currentId}, which no configured provider has.`,
    });
  }

  return {
    /** What new text is embedded with. */
    current: (): Embedder => current,
    find,
    /** Frees the memory of local models. */
    async stop(): Promise<void> {
      await Promise.all(sources.map(async (source) => (await source).stop?.()));
    },
  };
}

function defaultEmbeddingModel(configs: ProviderConfigs): string {
  for (const provider of providers) {
    const { name, embeddings } = provider;
    if (!embeddings || !isUsable(provider, configs)) continue;
    const { defaultModel, offersDefault } = embeddings;
    if (offersDefault?.(configs[name] ?? {}) ?? true) return `${name}/${defaultModel}`;
  }
  throw new Error('The built-in provider always embeds.');
}
