/** A program or a model failed, or is not installed. The message is for the operator. */
export class LocalSpeechFailed extends Error {
  override readonly name = 'LocalSpeechFailed';
}

/** Lets work wait for its turn, fairly between groups. Rejects if too much waits; aborting only ends the waiting. */
export type TakeTurn = <Result>(
  group: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
) => Promise<Result>;
