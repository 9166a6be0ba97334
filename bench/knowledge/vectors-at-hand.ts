import type { EmbedderRegistry } from '../../packages/server/src/models/embeddings/embedder-registry.ts';

/** The question's vector is there already: what is measured is the search. */
export function withVectorsAtHand(
  embedders: EmbedderRegistry,
  vectorOf: (number: number) => Float32Array,
): EmbedderRegistry {
  const real = embedders.current();
  let asked = 0;
  const embedder = {
    ...real,
    embed: async () => {
      asked += 1;
      return { vectors: [vectorOf(asked)], inputTokens: 0 };
    },
  };
  return { ...embedders, find: () => embedder, current: () => embedder };
}
