import { tooMuchMemory } from './explain-end.ts';
import { ExtractionError } from './extraction-error.ts';
import type { ExtractionLimits } from './limits.ts';

/** What an error in the child means to whoever gave the document; what the packages say is for the log. */
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
