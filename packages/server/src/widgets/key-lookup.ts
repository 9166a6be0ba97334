import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { Log } from '../log.ts';
import type { WidgetKeyCache } from './key-cache.ts';
import { type FoundWidgetKey, widgetKeyStore } from './store.ts';

export interface KeyLookupDependencies {
  database: Database;
  cache: WidgetKeyCache;
  clock: Clock;
  log: Log;
}

const maxKeys = 10_000;
/** How often the last use of a key is written. */
const useNotedMilliseconds = 60_000;

/** Finds widget keys through the cache, and records that they are used. */
export function createKeyLookup({ database, cache, clock, log }: KeyLookupDependencies) {
  const noted = new LRUCache<string, true>({ max: maxKeys, ttl: useNotedMilliseconds, ttlResolution: 0 });

  return {
    async byKey(key: string): Promise<FoundWidgetKey | undefined> {
      const known = cache.find(key);
      if (known) return known;
      const ticket = cache.openTicket();
      const found = await widgetKeyStore.findByKeyAcrossWorkspaces(database.query, key);
      if (found) cache.remember(ticket, found);
      return found;
    },

    async byId(workspaceId: string, keyId: string): Promise<FoundWidgetKey | undefined> {
      const known = cache.find(keyId);
      if (known) return known.key.workspaceId === workspaceId ? known : undefined;
      const ticket = cache.openTicket();
      const found = await widgetKeyStore.findFull(database.query, workspaceId, keyId);
      if (found) cache.remember(ticket, found);
      return found;
    },

    noteUse({ key }: FoundWidgetKey, host: string): void {
      if (noted.has(key.id)) return;
      noted.set(key.id, true);
      const at = clock.now();
      const before = new Date(at.getTime() - useNotedMilliseconds);
      widgetKeyStore
        .noteUse(database.query, key.workspaceId, key.id, { host, at, before })
        .catch((error: unknown) =>
          log.warn({ err: error, widget_key_id: key.id }, 'The use of a widget key was not recorded.'),
        );
    },
  };
}
