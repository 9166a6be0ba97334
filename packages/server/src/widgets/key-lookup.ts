import { createGrowingLru } from '../lib/growing-lru.ts';
import type { RevocableCache } from '../lib/revocable-cache.ts';
import type { Services } from '../services.ts';
import { type FoundWidgetKey, widgetKeyStore } from './widgets.store.ts';

export interface KeyLookupDependencies extends Pick<Services, 'clock' | 'database' | 'log'> {
  cache: RevocableCache<FoundWidgetKey>;
}

const maxKeys = 10_000;
/** How often the last use of a key is written. */
const useNotedMilliseconds = 60_000;

/** Finds widget keys through the cache, and records that they are used. */
export function createKeyLookup({ database, cache, clock, log }: KeyLookupDependencies) {
  const noted = createGrowingLru<true>(maxKeys, { ttl: useNotedMilliseconds, ttlResolution: 0 });

  /** Lookups that are under way: when a key changes, all of its open streams look it up at once. */
  const pending = new Map<string, Promise<FoundWidgetKey | undefined>>();

  /** Joins a lookup that began after the last change. */
  function look(name: string, find: () => Promise<FoundWidgetKey | undefined>) {
    const ticket = cache.openTicket();
    const id = `${ticket} ${name}`;
    const running = pending.get(id) ?? remember(ticket, find).finally(() => pending.delete(id));
    pending.set(id, running);
    return running;
  }

  async function remember(
    ticket: number,
    find: () => Promise<FoundWidgetKey | undefined>,
  ): Promise<FoundWidgetKey | undefined> {
    const found = await find();
    if (found) cache.remember(ticket, found, found.key.apiKey, found.key.id);
    return found;
  }

  return {
    async byKey(key: string): Promise<FoundWidgetKey | undefined> {
      const find = () => widgetKeyStore.findByKeyAcrossWorkspaces(database.acrossWorkspaces, key);
      return cache.find(key) ?? look(key, find);
    },

    async byId(workspaceId: string, keyId: string): Promise<FoundWidgetKey | undefined> {
      const known = cache.find(keyId);
      if (known) return known.key.workspaceId === workspaceId ? known : undefined;
      return look(`${workspaceId} ${keyId}`, () =>
        widgetKeyStore.findFull(database.within(workspaceId), workspaceId, keyId),
      );
    },

    noteUse({ key }: FoundWidgetKey, host: string): void {
      if (noted.has(key.id)) return;
      noted.set(key.id, true);
      const at = clock.now();
      const before = new Date(at.getTime() - useNotedMilliseconds);
      widgetKeyStore
        .noteUse(database.within(key.workspaceId), key.workspaceId, key.id, { host, at, before })
        .catch((error: unknown) =>
          log.warn({ err: error, widget_key_id: key.id }, 'The use of a widget key was not recorded.'),
        );
    },
  };
}
