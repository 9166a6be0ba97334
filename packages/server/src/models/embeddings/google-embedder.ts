import type { TrustedLane } from '../../egress/trusted-lane.ts';
import { withVersionPath } from '../ai-sdk/base-url.ts';
import { toModelError } from '../ai-sdk/to-model-error.ts';
import type { ModelIdentity } from '../model-error.ts';
import type { RetryPolicy } from '../retry.ts';
import { estimateTokens } from '../token-estimate.ts';
import { createEmbedder, type EmbeddingAttempt, type EmbeddingLimits } from './create-embedder.ts';
import type { Embedder } from './embedder.ts';
import { dimensionsOf } from './known-models.ts';

export interface GoogleEmbedderOptions {
  modelName: string;
  apiKey: string;
  baseUrl?: string;
  lane: TrustedLane;
  retry: RetryPolicy;
  limits: EmbeddingLimits;
}

/** Its models read 2,048 tokens. */
const mostCharacters = 4_000;
const textsAtOnce = 64;

export function createGoogleEmbedder(options: GoogleEmbedderOptions): Embedder {
  const { modelName, apiKey, lane, retry, limits } = options;
  const dimensions = dimensionsOf(`google/${modelName}`);
  const identity: ModelIdentity = { provider: 'google', modelName, secrets: [apiKey] };
  const settings = {
    apiKey,
    baseURL: withVersionPath(options.baseUrl ?? 'https://generativelanguage.googleapis.com', '/v1beta'),
    fetch: lane.fetch,
  };

  const attempt: EmbeddingAttempt = async (texts, purpose, signal) => {
    const taskType = purpose === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT';
    try {
      const { createGoogle } = await import('@ai-sdk/google');
      const { embeddings, usage } = await createGoogle(settings)
        .embedding(modelName)
        .doEmbed({
          values: [...texts],
          abortSignal: signal,
          providerOptions: {
            google: { taskType, ...(dimensions !== undefined && { outputDimensionality: dimensions }) },
          },
        });
      return { vectors: embeddings, inputTokens: usage?.tokens ?? estimateTokens(texts.join(' ')) };
    } catch (error) {
      throw toModelError(identity, error);
    }
  };

  return createEmbedder({ identity, dimensions, mostCharacters, textsAtOnce, attempt, retry, limits });
}
