/** Makes vectors of texts: near ones for texts that mean the same. */
export interface Embedder {
  /** provider/model */
  id: string;
  /** Undefined until the first answer of a model that nobody knows. */
  readonly dimensions: number | undefined;
  /** What it reads of a text; anything after is as if it were not there. */
  maxCharacters: number;
  /**
   * A vector of length one for each text, in their order, whatever their number. Throws a ModelError, or the signal's
   * reason. Questions are asked with less patience than documents.
   */
  embed(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    signal: AbortSignal,
    /** Receives every count of the provider, including failed attempts. */
    onSpent?: (inputTokens: number) => void,
  ): Promise<Embeddings>;
}

export type EmbeddingPurpose = 'document' | 'query';

export interface Embeddings {
  vectors: Float32Array[];
  inputTokens: number;
}
