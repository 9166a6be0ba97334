import type { Log } from '../../log.ts';

/** Writes that follow each other, whatever becomes of those before. */
export interface OrderedWrites {
  add(work: () => Promise<void>): void;
  /** Resolves when everything so far was written. */
  done(): Promise<void>;
}

export function createOrderedWrites(log: Log): OrderedWrites {
  let latest: Promise<void> = Promise.resolve();
  return {
    add(work) {
      latest = latest.then(work).catch((error: unknown) => {
        log.error({ err: error }, 'The transcript of a call could not be completed.');
      });
    },
    done: () => latest,
  };
}
