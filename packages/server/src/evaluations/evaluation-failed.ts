import type { AppError } from '../lib/app-error.ts';

/** The whole evaluation cannot continue, because every further case would fail in the same way. */
export class EvaluationFailed extends Error {
  readonly reason: AppError;

  constructor(reason: AppError) {
    super(reason.message, { cause: reason });
    this.name = 'EvaluationFailed';
    this.reason = reason;
  }
}
