import { AppError } from '../../app-error.ts';
import type { TrustedLane } from '../../egress/trusted-lane.ts';
import type { Log } from '../../log.ts';
import { defaultRetryPolicy, type RetryPolicy } from '../retry.ts';
import {
  createSentenceEncoder,
  type SentenceEncoderOptions,
  sentenceEncoderId,
} from './builtin/sentence-encoder.ts';
import { defaultEmbeddingLimits, type EmbeddingLimits } from './create-embedder.ts';
import type { Embedder } from './embedder.ts';
import { createGoogleEmbedder } from './google-embedder.ts';
import { createOpenAiEmbedder } from './openai-embedder.ts';

export interface EmbedderRegistry {
  /** What new text is embedded with. */
  current(): Embedder;
  /** For vectors that another model made earlier; undefined when its provider is not configured any more. */
  find(id: string): Embedder | undefined;
  /** Lets go of what is held in memory. */
  stop(): Promise<void>;
}

export interface EmbedderRegistryOptions {
  providers: {
    openai?: { apiKey?: string; baseUrl?: string };
    google?: { apiKey?: string; baseUrl?: string };
  };
  /** `provider/model`; the first configured provider's own when left out. */
  model?: string;
  lane: TrustedLane;
  log: Log;
  limits?: Partial<EmbeddingLimits>;
  retry?: Partial<RetryPolicy>;
  encoder?: Pick<SentenceEncoderOptions, 'idleMs' | 'mostWaiting' | 'program'>;
}

export function createEmbedderRegistry(options: EmbedderRegistryOptions): EmbedderRegistry {
  const { providers, lane, log } = options;
  const shared = {
    lane,
    log,
    retry: { ...defaultRetryPolicy, ...options.retry },
    limits: { ...defaultEmbeddingLimits, ...options.limits },
  };
  const encoder = createSentenceEncoder({ ...shared, ...options.encoder });
  const made = new Map<string, Embedder>([[sentenceEncoderId, encoder.embedder]]);

  function make(id: string): Embedder | undefined {
    const [, provider, modelName] = /^([a-z]+)\/(\S+)$/.exec(id) ?? [];
    if (!modelName) return undefined;
    const { openai, google } = providers;
    if (provider === 'openai' && (openai?.apiKey || openai?.baseUrl)) {
      return createOpenAiEmbedder({ ...shared, ...openai, modelName });
    }
    if (provider === 'google' && google?.apiKey) {
      return createGoogleEmbedder({ ...shared, ...google, apiKey: google.apiKey, modelName });
    }
    return undefined;
  }

  function find(id: string): Embedder | undefined {
    const embedder = made.get(id) ?? make(id);
    if (embedder) made.set(id, embedder);
    return embedder;
  }

  const currentId = options.model ?? defaultEmbeddingModel(providers);
  if (!find(currentId)) {
    throw new AppError('NO_MODEL_CONFIGURED', {
      message: `SVC_EMBEDDING_MODEL names ${currentId}, which no configured provider has.`,
    });
  }

  return {
    current: () => find(currentId) ?? encoder.embedder,
    find,
    stop: () => encoder.stop(),
  };
}

/**
 * Anthropic has no embeddings, and a server that only speaks OpenAI's wire may have none, or others: there the model has
 * to be named.
 */
function defaultEmbeddingModel({ openai, google }: EmbedderRegistryOptions['providers']): string {
  if (openai?.apiKey && isOpenAi(openai.baseUrl)) return 'openai/text-embedding-3-small';
  return google?.apiKey ? 'google/gemini-embedding-001' : sentenceEncoderId;
}

function isOpenAi(baseUrl: string | undefined): boolean {
  return baseUrl === undefined || new URL(baseUrl).hostname === 'api.openai.com';
}
