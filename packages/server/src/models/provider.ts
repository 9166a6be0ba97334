import type { Model, ModelRequest, OnPart } from './model.ts';

/** A source of models under one name: the part of an id before the slash. */
export interface ModelProvider {
  name: string;
  create(modelName: string): Model;
}

/** One try at one reply, without retries or time limits of its own. */
export type ReplyAttempt = (request: ModelRequest, onPart: OnPart, watch: AttemptWatch) => Promise<void>;

export interface AttemptWatch {
  signal: AbortSignal;
  /** Called with the size of everything the model produces, shown or not: reasoning and pieces of arguments, too. */
  onToken(bytes: number): void;
}
