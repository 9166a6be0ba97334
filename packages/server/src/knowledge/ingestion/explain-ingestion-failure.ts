import { errorCodes } from '@svc/contract/errors';
import { AppError } from '../../lib/app-error.ts';
import { ExtractionError } from '../extraction/extraction-error.ts';
import { SourceFailure } from '../source-failure.ts';

export interface ExplainedFailure {
  /** For the person who added the source: what is wrong, and what to do about it. */
  reason: string;
  /** Trying again later may help. */
  passing: boolean;
  /** Not foreseen, so it belongs in the log. */
  isUnexpected?: true;
}

export function explainFailure(error: unknown): ExplainedFailure {
  if (error instanceof SourceFailure) return { reason: error.message, passing: error.passing };
  if (error instanceof ExtractionError) return { reason: error.reason, passing: error.passing };
  if (error instanceof AppError && error.code === 'INSUFFICIENT_BALANCE') {
    return { reason: `${error.message} Add credit, then refresh this source.`, passing: false };
  }
  if (error instanceof AppError) return { reason: error.message, passing: errorCodes[error.code].retryable };
  return {
    reason: 'Something went wrong on our side: try to refresh it.',
    passing: true,
    isUnexpected: true,
  };
}
