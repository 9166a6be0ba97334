import type { WidgetKey, WidgetKeyCreate, WidgetKeyUpdate } from '@svc/contract/widgets';
import { AppError, invalid, notFound } from '../app-error.ts';
import type { BotService } from '../bots/service.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { inPages, type ListPages } from '../database/list-page.ts';
import type { RecordAnswer } from '../idempotency/service.ts';
import type { Log } from '../log.ts';
import { newId } from '../new-id.ts';
import { makeKey } from '../secrets/bearer-key.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { withoutUndefined } from '../without-undefined.ts';
import { readDomains } from './domains.ts';
import { createDoor, type IdentifiedWidget, type PageRequest } from './door.ts';
import { createIdentitySecrets } from './identity-secrets.ts';
import type { WidgetKeyCache } from './key-cache.ts';
import { createKeyLookup } from './key-lookup.ts';
import { type FoundWidgetKey, type WidgetKeyRow, widgetKeyStore } from './store.ts';
import { shortUsd, toWire } from './wire.ts';

export { resealIdentitySecrets } from './identity-secrets.ts';

export interface WidgetDependencies {
  database: Database;
  box: SecretBox;
  bots: Pick<BotService, 'getRow'>;
  cache: WidgetKeyCache;
  publicUrl: string;
  clock: Clock;
  log: Log;
}

/** What the visitors of a key may send and cost. */
export interface WidgetKeySettings {
  rateLimitPerHour: number;
  visitorMessagesPerHour: number;
  /** In USD, within 24 hours. */
  visitorUsdPerDay: string | null;
}

export type WidgetService = ReturnType<typeof createWidgetService>;

const defaults = { rateLimitPerHour: 1000, visitorMessagesPerHour: 60, visitorUsdPerDay: '1' };
const testKeyMilliseconds = 24 * 60 * 60 * 1000;

/** Widget keys, and what requests of pages need to know of them. */
export function createWidgetService(dependencies: WidgetDependencies) {
  const { database, box, bots, cache, publicUrl, clock } = dependencies;
  const lookup = createKeyLookup(dependencies);
  const door = createDoor({ find: lookup.byKey, noteUse: lookup.noteUse, publicUrl, clock });
  const secrets = createIdentitySecrets(database, box);

  return {
    async list(workspaceId: string, botId: string): Promise<ListPages<WidgetKey>> {
      await bots.getRow(workspaceId, botId);
      return inPages(
        (after) => widgetKeyStore.listPage(database.query, workspaceId, botId, after),
        (rows) => rows.map(show),
      );
    },

    async create(
      workspaceId: string,
      body: WidgetKeyCreate,
      record: RecordAnswer<WidgetKey>,
    ): Promise<WidgetKey> {
      const allowedDomains = readDomains(body.allowed_domains);
      await bots.getRow(workspaceId, body.bot_id);
      const key = { ...newKey(body.bot_id), ...changeOf(body), name: body.name, allowedDomains };
      return database.transaction(async (tx) => {
        const answer = show(await widgetKeyStore.insert(tx, workspaceId, key));
        await record(tx, answer);
        return answer;
      });
    },

    /** Each call returns the same key, which is valid for 24 hours from then on. */
    async getTestKey(workspaceId: string, botId: string): Promise<WidgetKey> {
      await bots.getRow(workspaceId, botId);
      const expiresAt = new Date(clock.now().getTime() + testKeyMilliseconds);
      const key = { ...newKey(botId), name: 'Test key', allowedDomains: [], expiresAt };
      const row = await widgetKeyStore.putTestKey(database.query, workspaceId, key);
      cache.forget(row.id);
      return show(row);
    },

    async update(workspaceId: string, keyId: string, body: WidgetKeyUpdate): Promise<WidgetKey> {
      const change = changeOf(body);
      const row = await database.transaction(async (tx) => {
        const changed = await widgetKeyStore.update(tx, workspaceId, keyId, change);
        if (changed?.isTest && changed.allowedDomains.length > 0)
          throw invalid('allowed_domains', 'must be empty on a test key: create a key for other pages');
        return changed;
      });
      if (!row) throw notFound();
      cache.forget(keyId);
      return show(row);
    },

    /** Takes effect on every node immediately. Repeated calls change nothing. */
    async revoke(workspaceId: string, keyId: string): Promise<void> {
      const isKnown = await database.transaction((tx) => widgetKeyStore.revoke(tx, workspaceId, keyId));
      if (!isKnown) throw notFound();
      cache.forget(keyId);
    },

    door,

    /** Whether the key was valid when this node last looked it up: callers that guess keys have no such key. */
    hasWorked: cache.hasWorked,

    /** Calls back when a key may have changed in any way, until the returned function is called. */
    onKeyChanged: cache.onChanged,

    /** Ends a stream of a page when the page may no longer use its key. Returns a function that stops watching. */
    watchPage(keyId: string, page: PageRequest, end: () => void): () => void {
      return cache.onChanged(keyId, () => {
        door.enter(page).catch((error: unknown) => {
          // If the database cannot be reached, the next round checks it.
          if (error instanceof AppError) end();
        });
      });
    },

    async keySettings(workspaceId: string, keyId: string): Promise<WidgetKeySettings> {
      const { key } = await getFull(workspaceId, keyId);
      const { rateLimitPerHour, visitorMessagesPerHour } = key;
      const visitorUsdPerDay = shortUsd(key.visitorUsdPerDay);
      return { rateLimitPerHour, visitorMessagesPerHour, visitorUsdPerDay };
    },

    /** The message that opens a visitor's conversation; null for none. */
    async welcomeMessageOf({
      workspaceId,
      keyId,
    }: Pick<IdentifiedWidget, 'workspaceId' | 'keyId'>): Promise<string | null> {
      const { look, bot } = await getFull(workspaceId, keyId);
      return look?.welcomeMessage ?? bot.greeting;
    },

    /** What sites sign the ids of their users with; null when the key has no such secret. */
    identitySecretOf: secrets.read,
  };

  function show(row: WidgetKeyRow): WidgetKey {
    return toWire(row, clock.now());
  }

  async function getFull(workspaceId: string, keyId: string): Promise<FoundWidgetKey> {
    const found = await lookup.byId(workspaceId, keyId);
    if (!found) throw notFound();
    return found;
  }
}

function newKey(botId: string) {
  return { ...defaults, id: newId(), botId, apiKey: makeKey('svc_') };
}

function changeOf(body: WidgetKeyUpdate) {
  return withoutUndefined({
    name: body.name,
    allowedDomains: body.allowed_domains && readDomains(body.allowed_domains),
    rateLimitPerHour: body.rate_limit_per_hour,
    visitorMessagesPerHour: body.visitor_messages_per_hour,
    visitorUsdPerDay: body.visitor_usd_per_day,
  });
}
