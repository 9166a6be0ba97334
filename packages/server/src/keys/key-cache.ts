import { createGrowingLru } from '../lib/growing-lru.ts';
import { createRevocableCache } from '../lib/revocable-cache.ts';
import type { Principal } from './principal.ts';

const maxEntries = 10_000;

export type KeyCache = ReturnType<typeof createKeyCache>;

/** Caches valid keys. */
export function createKeyCache(onLookup?: (isHit: boolean) => void) {
  const worked = createGrowingLru<true>(maxEntries);
  return {
    ...createRevocableCache<Principal>(maxEntries, onLookup),
    /** Whether a key was good when it was last looked up here, however long ago. */
    hasWorked: (name: string): boolean => worked.has(name),
    /** The result of looking up a key. */
    noteLookup(name: string, isGood: boolean): void {
      if (isGood) worked.set(name, true);
      else worked.delete(name);
    },
  };
}
