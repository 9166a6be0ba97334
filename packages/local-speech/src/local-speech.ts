/** A program or a model failed, or is not installed. The message is for the operator. */
export class LocalSpeechFailed extends Error {
  override readonly name: string = 'LocalSpeechFailed';
}

/** The message does not say how to install it: that depends on where the service runs. */
export class SpeechNotInstalled extends LocalSpeechFailed {
  override readonly name = 'SpeechNotInstalled';
}

/** Runs work when there is room for it, fairly between groups. Rejects if too much waits; aborting only ends the waiting. */
export type RunFairly = <Result>(
  group: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
) => Promise<Result>;
