/** Turns texts into vectors that are close for texts of similar meaning. */
export interface Embedder {
  /** provider/model */
  id: string;
  /** Undefined until the first reply of an unknown model. */
  readonly dimensions: number | undefined;
  /** The rest of a longer text is ignored. */
  maxCharacters: number;
  /**
   * A vector of length one for each text, in the same order, for any number of texts. Throws a ModelError, or the signal's
   * reason. Queries have shorter time limits than documents.
   */
  embed(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    signal: AbortSignal,
    /** Receives the tokens of every counted attempt, including failed ones. */
    onSpent?: (inputTokens: number) => void,
  ): Promise<Embeddings>;
}

export type EmbeddingPurpose = 'document' | 'query';

export interface Embeddings {
  vectors: Float32Array[];
  inputTokens: number;
}
