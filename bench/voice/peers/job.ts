/** How long the stand-ins for providers take, in milliseconds. */
export interface Delays {
  /** From the end of the caller's words to their final text. */
  listening: number;
  /** From the request to the first sentence. */
  model: number;
  /** From a sentence to its first sound. */
  speech: number;
}

export interface PeersJob extends Delays {
  /** What the model replies, by its name. */
  replies: Record<string, string>;
}

/** Variables of the service. */
export type PeersOutcome = Record<string, string>;
