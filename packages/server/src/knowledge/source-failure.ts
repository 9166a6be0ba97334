/** Why a source could not be processed, as a sentence for the person who added it. */
export class SourceFailure extends Error {
  override readonly name: string = 'SourceFailure';
  /** Trying again later may help. */
  readonly passing: boolean;

  constructor(reason: string, { passing = false, cause }: { passing?: boolean; cause?: unknown } = {}) {
    super(reason, { cause });
    this.passing = passing;
  }
}

/** Why a document could not be read. */
export class ExtractionError extends SourceFailure {
  override readonly name = 'ExtractionError';
}
