import { createGrowingLru } from './growing-lru.ts';
import { createWatchers } from './watchers.ts';

/** Entries expire after this time even without a notification. */
const believedMilliseconds = 10_000;

export type RevocableCache<Value extends object> = ReturnType<typeof createRevocableCache<Value>>;

/** Caches what keys stand for, which saves a statement per request. A notification that one has changed removes all of it. */
export function createRevocableCache<Value extends object>(
  maxEntries: number,
  /** Called with whether each look-up found something. */
  onLookup: (isHit: boolean) => void = () => undefined,
) {
  const entries = createGrowingLru<Value>(maxEntries, { ttl: believedMilliseconds, ttlResolution: 0 });
  const watchers = createWatchers();
  let isTrusted = false;
  let generation = 0;

  function clear(): void {
    generation += 1;
    entries.clear();
  }

  return {
    find(name: string): Value | undefined {
      const found = entries.get(name);
      onLookup(found !== undefined);
      return found;
    },
    /** Taken before a key is looked up, so that an answer older than a change is not remembered. */
    openTicket: (): number => generation,
    remember(ticket: number, value: Value, ...names: string[]): void {
      if (isTrusted && ticket === generation) for (const name of names) entries.set(name, value);
    },
    /** Something that entries contain was changed: every key is looked up again. */
    clear,
    /** The same for the key with this id; calls its watchers. */
    forget(id: string): void {
      clear();
      watchers.notify(id);
    },
    /** While notifications cannot arrive, nothing is cached: every request queries the database. */
    setTrusted(value: boolean): void {
      isTrusted = value;
      clear();
    },
    /** Ids that are being watched. */
    watched: watchers.names,
    /** Calls back when the key with this id was revoked or changed, until the returned function is called. */
    onForgotten: watchers.watch,
  };
}
