import { tooMuchMemory } from './explain-end.ts';
import { ExtractionError } from './extraction-error.ts';
import type { ExtractionLimits } from './limits.ts';

/** Turns an error in the child into a reason for the document's owner; the packages' own messages are for the log. */
export function explainFailure(error: unknown, limits: ExtractionLimits): ExtractionError {
  if (error instanceof ExtractionError) return error;
  const cause = error instanceof Error ? (error.stack ?? error.message) : error;
  if (error instanceof RangeError) {
    if (/call stack/i.test(error.message)) {
      return new ExtractionError('It cannot be read: its parts are nested too deeply.', { cause });
    }
    if (/allocat|array buffer|string length/i.test(error.message)) return tooMuchMemory(limits, cause);
  }
  return new ExtractionError('It cannot be read: the file seems to be damaged.', { cause });
}
