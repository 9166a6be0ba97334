import type { EmbeddingPurpose } from './embedder.ts';

/** Where the vectors of one model come from. */
export interface EmbeddingSource {
  /** One request, for a batch of texts; without retries or time limits. */
  embed(texts: readonly string[], purpose: EmbeddingPurpose, signal: AbortSignal): Promise<EmbeddedBatch>;
  /** Frees its memory; the next text loads it again. */
  stop?(): Promise<void>;
}

export interface EmbeddedBatch {
  vectors: readonly ArrayLike<number>[];
  inputTokens: number;
}
