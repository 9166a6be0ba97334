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
  /** Called for everything the model produces, also what is not shown: reasoning and pieces of arguments. */
  onToken(): void;
}
