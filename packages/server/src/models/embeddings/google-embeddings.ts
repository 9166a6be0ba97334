import { loadGoogle } from '../ai-sdk/load-google.ts';
import { toModelError } from '../ai-sdk/to-model-error.ts';
import type { EmbeddingConnection } from '../providers/provider.ts';
import { estimateTokens } from '../token-estimate.ts';
import type { EmbeddingSource } from './embedding-source.ts';

export function createGoogleEmbeddings(connection: EmbeddingConnection): EmbeddingSource {
  const { identity, dimensions } = connection;
  return {
    async embed(texts, purpose, abortSignal) {
      const taskType = purpose === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT';
      const google = { taskType, ...(dimensions !== undefined && { outputDimensionality: dimensions }) };
      try {
        const model = (await loadGoogle(connection)).embedding(identity.modelName);
        const { embeddings, usage } = await model.doEmbed({
          values: [...texts],
          abortSignal,
          providerOptions: { google },
        });
        return { vectors: embeddings, inputTokens: usage?.tokens ?? estimateTokens(texts.join(' ')) };
      } catch (error) {
        throw toModelError(identity, error);
      }
    },
  };
}
