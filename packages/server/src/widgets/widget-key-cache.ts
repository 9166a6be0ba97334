import { LRUCache } from 'lru-cache';
import type { FoundWidgetKey } from './widgets.store.ts';

const maxEntries = 2_000;
/** Entries expire after this time even without a notification. */
const believedMilliseconds = 10_000;

export interface WidgetKeyCache {
  /** By the key itself, or by its id. */
  find(name: string): FoundWidgetKey | undefined;
  /** Taken before a key is looked up, so that an answer older than a change is not remembered. */
  openTicket(): number;
  remember(ticket: number, found: FoundWidgetKey): void;
  /** Something that entries contain was changed: every key is looked up again. */
  clear(): void;
  /** The same for a key or a bot with this id; calls the watchers of a key. */
  forget(id: string): void;
  /** While notifications cannot arrive, nothing is cached: every request queries the database. */
  setTrusted(trusted: boolean): void;
  /** Calls back when a key was changed, until the returned function is called. */
  onChanged(keyId: string, callback: () => void): () => void;
}

/** Caches widget keys with what pages see of them, which saves a statement per request. */
export function createWidgetKeyCache(): WidgetKeyCache {
  const entries = new LRUCache<string, FoundWidgetKey>({
    max: 2 * maxEntries,
    ttl: believedMilliseconds,
    ttlResolution: 0,
  });
  const watchers = new Map<string, Set<() => void>>();
  let trusted = false;
  let generation = 0;

  function clear(): void {
    generation += 1;
    entries.clear();
  }

  return {
    find: (name) => entries.get(name),
    openTicket: () => generation,
    remember(ticket, found) {
      if (!trusted || ticket !== generation) return;
      entries.set(found.key.apiKey, found);
      entries.set(found.key.id, found);
    },
    clear,
    forget(id) {
      clear();
      for (const callback of watchers.get(id) ?? []) callback();
    },
    setTrusted(value) {
      trusted = value;
      clear();
    },
    onChanged(keyId, callback) {
      const callbacks = watchers.get(keyId) ?? new Set();
      watchers.set(keyId, callbacks.add(callback));
      return () => {
        callbacks.delete(callback);
        if (callbacks.size === 0) watchers.delete(keyId);
      };
    },
  };
}
