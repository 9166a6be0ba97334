import { AppError } from '../lib/app-error.ts';
import { createFairQueue, TooManyWaiting } from '../lib/fair-queue.ts';

/** At 32 MB each, at most a quarter of a gigabyte is in memory. */
const limits = { concurrency: 8, perGroup: 2 };
const maxWaiting = { perGroup: 20, total: 500 };

/**
 * Limits how many long documents, sent or fetched, are in memory. A body is not read from its socket until there is
 * room for it, and no workspace has more than two in memory.
 */
export function createLongDocuments() {
  const queue = createFairQueue(limits);
  return {
    /** Resolves with a function that ends this and may be called repeatedly. Throws RATE_LIMITED when too many wait. */
    async enter(workspaceId: string, signal: AbortSignal): Promise<() => void> {
      try {
        return await queue.enter(workspaceId, signal, maxWaiting);
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
