import type { EmbedderRegistry } from '../../models/embeddings/embedder-registry.ts';
import type { ChunkVectors, UnembeddedChunk } from '../chunks/chunks.store.ts';
import { piecesOf } from './pieces.ts';

export type ChunkEmbedding = ReturnType<typeof createChunkEmbedding>;

export interface ChunkPieces {
  id: string;
  pieces: string[];
}

/** Makes the vectors of chunks with the current model. */
export function createChunkEmbedding(embedders: EmbedderRegistry) {
  const embedder = embedders.current();
  return {
    /** provider/model */
    model: embedder.id,
    /** The pieces of each chunk, as the model reads them. */
    split: (chunks: readonly UnembeddedChunk[]): ChunkPieces[] =>
      chunks.map(({ id, headingPath, content }) => ({
        id,
        pieces: piecesOf(headingPath, content, embedder.maxCharacters),
      })),
    async embed(
      chunks: readonly ChunkPieces[],
      signal: AbortSignal,
      onSpent: (inputTokens: number) => void,
    ): Promise<ChunkVectors[]> {
      const texts = chunks.flatMap(({ pieces }) => pieces);
      const { vectors } = await embedder.embed(texts, 'document', signal, onSpent);
      let taken = 0;
      return chunks.map(({ id, pieces }) => {
        const start = taken;
        taken += pieces.length;
        return { chunkId: id, vectors: vectors.slice(start, taken) };
      });
    },
  };
}
