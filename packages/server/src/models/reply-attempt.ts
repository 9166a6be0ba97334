import type { ModelRequest, OnPart } from './model.ts';

/** One attempt at a reply, without retries or time limits. */
export type ReplyAttempt = (request: ModelRequest, onPart: OnPart, watch: AttemptWatch) => Promise<void>;

export interface AttemptWatch {
  signal: AbortSignal;
  /** Called with the size of everything the model produces, including reasoning and pieces of arguments. */
  onToken(bytes: number): void;
}
