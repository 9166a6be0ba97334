import type { Transaction } from '../../database/database.ts';
import type { ChunkVectors } from '../chunks/store.ts';

/** Whose vectors are looked at, and no others: what lies outside is never ranked. */
export interface VectorScope {
  workspaceId: string;
  /** Sources of this bot and those of all bots; left out, every source of the workspace. */
  botId: string | undefined;
  /** Whose vectors: those of two models cannot be compared. */
  model: string;
}

export interface VectorHit {
  chunkId: string;
  /** The cosine of the angle: 1 for the same direction. A chunk of several vectors counts by its nearest. */
  similarity: number;
}

/**
 * Finds the vectors nearest to one. They are rows of PostgreSQL, so what is written is found as soon as its transaction
 * is committed, by every node, and what is deleted or set inactive no more.
 */
export interface VectorIndex {
  /** Chunks that have vectors of the model already keep them. */
  upsert(
    tx: Transaction,
    workspaceId: string,
    model: string,
    embedded: readonly ChunkVectors[],
  ): Promise<void>;
  /** Takes all vectors of a source out, those of every model. */
  remove(tx: Transaction, workspaceId: string, knowledgeId: string): Promise<void>;
  /** The nearest chunks, best first. Of length one, the vector too. Undefined when they cannot be asked now. */
  search(scope: VectorScope, vector: Float32Array, limit: number): Promise<VectorHit[] | undefined>;
  /** Makes what a model's vectors need to be found quickly; harmless when repeated. */
  prepare(model: string, dimensions: number): Promise<void>;
  stop(): Promise<void>;
}
