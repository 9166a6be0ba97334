import type { EmbedderRegistry } from '../../models/embeddings/embedder-registry.ts';
import type { ChunkVectors, UnembeddedChunk } from '../chunks/chunks.store.ts';
import { piecesOf } from './pieces.ts';

/** Makes the vectors of chunks with the current model. */
export interface ChunkEmbedding {
  /** provider/model */
  readonly model: string;
  /** The pieces of each chunk, as the model reads them. */
  split(chunks: readonly UnembeddedChunk[]): ChunkPieces[];
  embed(
    chunks: readonly ChunkPieces[],
    signal: AbortSignal,
    onSpent: (inputTokens: number) => void,
  ): Promise<ChunkVectors[]>;
}

export interface ChunkPieces {
  id: string;
  pieces: string[];
}

export function createChunkEmbedding(embedders: EmbedderRegistry): ChunkEmbedding {
  const embedder = embedders.current();
  return {
    model: embedder.id,
    split: (chunks) =>
      chunks.map(({ id, headingPath, content }) => ({
        id,
        pieces: piecesOf(headingPath, content, embedder.maxCharacters),
      })),
    async embed(chunks, signal, onSpent) {
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
