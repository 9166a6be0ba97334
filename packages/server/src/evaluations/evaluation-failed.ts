import type { AppError } from '../app-error.ts';

/** The whole evaluation cannot go on: every further case would meet the same. */
export class EvaluationFailed extends Error {
  readonly reason: AppError;

  constructor(reason: AppError) {
    super(reason.message, { cause: reason });
    this.name = 'EvaluationFailed';
    this.reason = reason;
  }
}
