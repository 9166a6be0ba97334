import { LRUCache } from 'lru-cache';
import type { Principal } from './principal.ts';

const maxEntries = 10_000;
/** Entries expire after this time even without a notification. */
const believedMilliseconds = 10_000;

export interface KeyCache {
  find(hash: Buffer): Principal | undefined;
  /** Taken before a key is looked up, so that an answer older than a revocation is not remembered. */
  openTicket(): number;
  remember(ticket: number, hash: Buffer, principal: Principal): void;
  /** Something that principals contain was changed: every key is looked up again. */
  clear(): void;
  /** Whether a key was good when it was last looked up here, however long ago. */
  hasWorked(hash: Buffer): boolean;
  /** The result of looking up a key. */
  noteLookup(hash: Buffer, isGood: boolean): void;
  /** Drops a revoked key and calls its watchers. */
  forget(keyId: string): void;
  /** While notifications cannot arrive, nothing is cached: every request queries the database. */
  setTrusted(trusted: boolean): void;
  /** Keys whose revocation is being watched. */
  watched(): string[];
  /** Calls back when a key is revoked, until the returned function is called. */
  onForgotten(keyId: string, callback: () => void): () => void;
}

/** Caches valid keys, which saves a statement per request; a revocation removes them. */
export function createKeyCache(): KeyCache {
  const principals = new LRUCache<string, Principal>({
    max: maxEntries,
    ttl: believedMilliseconds,
    ttlResolution: 0,
  });
  const worked = new LRUCache<string, true>({ max: maxEntries });
  const watchers = new Map<string, Set<() => void>>();
  let trusted = false;
  let generation = 0;

  function clear(): void {
    generation += 1;
    principals.clear();
  }

  return {
    find: (hash) => principals.get(hash.toString('latin1')),
    openTicket: () => generation,
    remember(ticket, hash, principal) {
      if (trusted && ticket === generation) principals.set(hash.toString('latin1'), principal);
    },
    clear,
    hasWorked: (hash) => worked.has(hash.toString('latin1')),
    noteLookup(hash, isGood) {
      const name = hash.toString('latin1');
      if (isGood) worked.set(name, true);
      else worked.delete(name);
    },
    forget(keyId) {
      clear();
      for (const callback of watchers.get(keyId) ?? []) callback();
    },
    setTrusted(value) {
      trusted = value;
      clear();
    },
    watched: () => [...watchers.keys()],
    onForgotten(keyId, callback) {
      const callbacks = watchers.get(keyId) ?? new Set();
      watchers.set(keyId, callbacks.add(callback));
      return () => {
        callbacks.delete(callback);
        if (callbacks.size === 0) watchers.delete(keyId);
      };
    },
  };
}
