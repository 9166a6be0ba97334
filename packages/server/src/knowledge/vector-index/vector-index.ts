/** Which vectors are searched; nothing outside of the scope is ever ranked. */
export interface VectorScope {
  workspaceId: string;
  /** Sources of this bot and of all bots; every source of the workspace when left out. */
  botId: string | undefined;
  /** Vectors of different models cannot be compared. */
  model: string;
}

export interface VectorHit {
  chunkId: string;
  /** The cosine: 1 for the same direction. The nearest vector of a chunk counts. */
  similarity: number;
}

/**
 * Finds the nearest vectors. They are rows in PostgreSQL, so every node finds what is written as soon as its transaction is
 * committed (on a replica a little later), and no longer finds what is deleted or inactive.
 */
export interface VectorIndex {
  /** The nearest chunks, best first. All vectors have length one. Undefined when they cannot be searched now. */
  search(scope: VectorScope, vector: Float32Array, limit: number): Promise<VectorHit[] | undefined>;
  /** Prepares fast search over a model's vectors. To be called regularly: workspaces grow, and others shrink or are gone. */
  prepare(model: string, dimensions: number | undefined): Promise<void>;
  stop(): Promise<void>;
}
