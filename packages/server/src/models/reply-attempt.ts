import type { ModelRequest, OnPart } from './model.ts';

/** One try at one reply, without retries or time limits of its own. */
export type ReplyAttempt = (request: ModelRequest, onPart: OnPart, watch: AttemptWatch) => Promise<void>;

export interface AttemptWatch {
  signal: AbortSignal;
  /** Called with the size of everything the model produces, shown or not: reasoning and pieces of arguments, too. */
  onToken(bytes: number): void;
}
