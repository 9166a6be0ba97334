import type { FieldError } from '@svc/contract/errors';
import { AppError, invalid } from '../lib/app-error.ts';
import { maxDetails } from './field-errors.ts';

/** Returns what a part returns, or undefined if it finds something invalid. */
export type Attempt = <Result>(part: () => Result) => Result | undefined;

/** Throws what the parts of the work find invalid as one error, so that people can correct all of it at once. */
export function reportTogether<Result>(work: (attempt: Attempt) => Result): Result {
  const found: AppError[] = [];
  const attempt: Attempt = (part) => {
    try {
      return part();
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'VALIDATION_FAILED')) throw error;
      found.push(error);
      return undefined;
    }
  };
  const result = attempt(() => work(attempt));
  const [first] = found;
  if (!first) return result as Result;
  throw found.length === 1 ? first : joined(found, first.message);
}

/** `faults` say what is wrong with each field, as the rest of a sentence after its path. */
export function refuseFaults(faults: Record<string, string | false | undefined>): void {
  reportTogether((attempt) => {
    for (const [path, fault] of Object.entries(faults))
      attempt(() => {
        if (fault) throw invalid(path, fault);
      });
  });
}

/** One message per field: what is found later often follows from the first. */
function joined(found: readonly AppError[], message: string): AppError {
  const byPath = new Map<string, FieldError>();
  for (const detail of found.flatMap(({ details = [] }) => details as readonly FieldError[]))
    if (!byPath.has(detail.path)) byPath.set(detail.path, detail);
  return new AppError('VALIDATION_FAILED', { message, details: [...byPath.values()].slice(0, maxDetails) });
}
