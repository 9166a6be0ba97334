import { AppError } from '../lib/app-error.ts';
import { createFairQueue, TooManyWaiting } from '../lib/fair-queue.ts';

/** At 32 MB each, at most a quarter of a gigabyte is in memory. */
const places = { concurrency: 8, perGroup: 2 };
const maxWaiting = { perGroup: 20, total: 500 };

/**
 * Limits how many long documents, sent or fetched, are in memory. A body is not read from its socket until there is a
 * place for it, and no workspace gets more than two places.
 */
export function createLongDocuments() {
  const turns = createFairQueue(places);
  return {
    /** Resolves with a function that frees the place and may be called repeatedly. Throws RATE_LIMITED when too many wait. */
    async enter(workspaceId: string, signal: AbortSignal): Promise<() => void> {
      try {
        return await turns.enter(workspaceId, signal, maxWaiting);
      } catch (error) {
        if (!(error instanceof TooManyWaiting)) throw error;
        throw new AppError('RATE_LIMITED', {
          message: 'Too many long documents of this workspace are waiting to be read.',
          details: [{ limit: 'waiting_documents', value: maxWaiting.perGroup }],
          retryAfterSeconds: 5,
        });
      }
    },
  };
}
