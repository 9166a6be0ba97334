import type { Log } from '../../lib/log.ts';

/** Writes that follow each other, whatever becomes of those before. */
export interface OrderedWrites {
  add(work: () => Promise<void>): void;
  /** Resolves when everything was written, including what is added meanwhile. */
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
    async done() {
      // A write that fails may add others.
      for (let awaited: Promise<void> | undefined; awaited !== latest; ) {
        awaited = latest;
        await awaited;
      }
    },
  };
}
