import { AppError } from '../app-error.ts';
import { createFairQueue, TooManyWaiting } from '../fair-queue.ts';

/** Of 32 MB each: what is held at once is a quarter of a gigabyte at most. */
const places = { concurrency: 8, perGroup: 2 };
const mostWaiting = { perGroup: 20, total: 500 };

/**
 * Who may hold a long document, sent or fetched. Whoever waits has not been listened to yet: a body is read only when its
 * turn has come. No workspace takes more than two of the places.
 */
export function createLongDocuments() {
  const turns = createFairQueue(places);
  return {
    /** Resolves with how to leave, harmless when repeated. Throws RATE_LIMITED when too many wait already. */
    async enter(workspaceId: string, signal: AbortSignal): Promise<() => void> {
      try {
        return await turns.enter(workspaceId, signal, mostWaiting);
      } catch (error) {
        if (!(error instanceof TooManyWaiting)) throw error;
        throw new AppError('RATE_LIMITED', {
          message: 'Too many long documents of this workspace are waiting to be read.',
          details: [{ limit: 'waiting_documents', value: mostWaiting.perGroup }],
          retryAfterSeconds: 5,
        });
      }
    },
  };
}
