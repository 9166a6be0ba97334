import type { EmbedderRegistry } from '../../models/embeddings/embedder-registry.ts';
import type { ChunkVectors, UnembeddedChunk } from '../chunks/store.ts';
import { piecesOf } from './pieces.ts';

/** Makes the vectors of chunks with the current model. */
export interface ChunkEmbedding {
  /** provider/model */
  readonly model: string;
  embed(
    chunks: readonly UnembeddedChunk[],
    signal: AbortSignal,
  ): Promise<{ embedded: ChunkVectors[]; inputTokens: number }>;
}

export function createChunkEmbedding(embedders: EmbedderRegistry): ChunkEmbedding {
  const embedder = embedders.current();
  return {
    model: embedder.id,
    async embed(chunks, signal) {
      const pieces = chunks.map(({ headingPath, content }) =>
        piecesOf(headingPath, content, embedder.mostCharacters),
      );
      const { vectors, inputTokens } = await embedder.embed(pieces.flat(), 'document', signal);
      let taken = 0;
      const embedded = chunks.map(({ id }, place) => {
        const start = taken;
        taken += pieces[place]?.length ?? 0;
        return { chunkId: id, vectors: vectors.slice(start, taken) };
      });
      return { embedded, inputTokens };
    },
  };
}
