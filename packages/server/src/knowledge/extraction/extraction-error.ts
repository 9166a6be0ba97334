/** Why a document could not be read; the message tells its owner what to do. */
export class ExtractionError extends Error {
  /** One sentence for a person. */
  readonly reason: string;
  /** Whether trying again unchanged may help. */
  readonly passing: boolean;

  constructor(reason: string, options: { passing?: boolean; cause?: unknown } = {}) {
    super(reason, { cause: options.cause });
    this.name = 'ExtractionError';
    this.reason = reason;
    this.passing = options.passing ?? false;
  }
}
