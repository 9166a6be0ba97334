import type {
  EmbedCode,
  IdentitySecret,
  WidgetKey,
  WidgetKeyCreate,
  WidgetKeyUpdate,
  WidgetSummary,
} from '@svc/contract/widgets';
import type { Transaction } from '../database/database.ts';
import { inPages, type ListPages } from '../database/list-page.ts';
import type { WidgetPrincipal } from '../http/end-user.ts';
import type { RecordAnswer } from '../idempotency/idempotency.service.ts';
import type { Principal } from '../keys/keys.service.ts';
import { AppError, invalid, notFound } from '../lib/app-error.ts';
import { escapeHtml } from '../lib/escape-html.ts';
import { newId } from '../lib/new-id.ts';
import type { RevocableCache } from '../lib/revocable-cache.ts';
import { withoutUndefined } from '../lib/without-undefined.ts';
import { makeKey } from '../secrets/bearer-key.ts';
import type { Services } from '../services.ts';
import { readDomains } from './domains.ts';
import { createDoor, works } from './door.ts';
import { createIdentitySecrets } from './identity-secrets.ts';
import { recordIdentitySecret, recordKeyChanged, recordKeyCreated, recordKeyRevoked } from './key-audit.ts';
import { createKeyLookup } from './key-lookup.ts';
import { welcomeMessage } from './look/look.ts';
import { type FoundWidgetKey, type WidgetKeyRow, widgetKeyStore } from './widgets.store.ts';
import { shortUsd, toWire } from './widgets.wire.ts';

export { heldIdentitySecrets, resealIdentitySecrets } from './identity-secrets.ts';

export interface WidgetDependencies
  extends Pick<Services, 'bots' | 'box' | 'clock' | 'database' | 'log' | 'publicUrl'> {
  cache: RevocableCache<FoundWidgetKey>;
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
  const secrets = createIdentitySecrets(database, box);
  const { proofOf } = secrets;
  const door = createDoor({ ...lookup, proofOf, onChanged: cache.onForgotten, publicUrl, clock });

  return {
    async list(workspaceId: string, botId: string): Promise<ListPages<WidgetKey>> {
      await bots.getRow(workspaceId, botId);
      return inPages(
        (after) => widgetKeyStore.listPage(database.within(workspaceId), workspaceId, botId, after),
        (rows) => rows.map(show),
      );
    },

    /** The bots that have keys. */
    async summarize(workspaceId: string): Promise<WidgetSummary[]> {
      const rows = await widgetKeyStore.summarize(database.within(workspaceId), workspaceId, clock.now());
      return rows.map((row) => ({
        bot_id: row.botId,
        active_keys: row.activeKeys,
        last_used_at: row.lastUsedAt?.toISOString() ?? null,
        last_used_host: row.lastUsedHost,
      }));
    },

    async create(
      workspaceId: string,
      body: WidgetKeyCreate,
      record: RecordAnswer<WidgetKey>,
    ): Promise<WidgetKey> {
      const allowedDomains = readDomains(body.allowed_domains);
      await bots.getRow(workspaceId, body.bot_id);
      const key = { ...newKey(body.bot_id), ...changeOf(body), name: body.name, allowedDomains };
      return database.within(workspaceId).transaction(async (tx) => {
        const row = await widgetKeyStore.insert(tx, workspaceId, key);
        await recordKeyCreated(tx, row);
        const answer = show(row);
        await record(tx, answer);
        return answer;
      });
    },

    /** Each call returns the same key, which is valid for 24 hours from then on. */
    async putTestKey(
      workspaceId: string,
      botId: string,
      record: RecordAnswer<WidgetKey>,
    ): Promise<WidgetKey> {
      await bots.getRow(workspaceId, botId);
      const expiresAt = new Date(clock.now().getTime() + testKeyMilliseconds);
      const key = { ...newKey(botId), name: 'Test key', allowedDomains: [], expiresAt };
      const answer = await database.within(workspaceId).transaction(async (tx) => {
        const shown = show(await widgetKeyStore.putTestKey(tx, workspaceId, key));
        await record(tx, shown);
        return shown;
      });
      cache.clear();
      return answer;
    },

    async update(workspaceId: string, keyId: string, body: WidgetKeyUpdate): Promise<WidgetKey> {
      const change = changeOf(body);
      const row = await database.within(workspaceId).transaction(async (tx) => {
        const before = await lock(tx, workspaceId, keyId);
        const changed = (await widgetKeyStore.update(tx, workspaceId, keyId, change)) ?? before;
        if (changed.isTest && changed.allowedDomains.length > 0)
          throw invalid('allowed_domains', 'must be empty on a test key: create a key for other pages');
        await recordKeyChanged(tx, before, changed);
        return changed;
      });
      cache.forget(keyId);
      return show(row);
    },

    /** Takes effect on every node immediately. Repeated calls change nothing. */
    async revoke(workspaceId: string, keyId: string): Promise<void> {
      await database.within(workspaceId).transaction(async (tx) => {
        const row = await lock(tx, workspaceId, keyId);
        await widgetKeyStore.revoke(tx, workspaceId, keyId);
        if (!row.revokedAt) await recordKeyRevoked(tx, row);
      });
      cache.forget(keyId);
    },

    /** The answer has a new secret, which cannot be retrieved again and replaces an earlier one. */
    async createIdentitySecret(
      creator: Pick<Principal, 'workspaceId' | 'keyId' | 'confirm'>,
      keyId: string,
      record: RecordAnswer<IdentitySecret>,
    ): Promise<IdentitySecret> {
      const answer = await database.within(creator.workspaceId).transaction(async (tx) => {
        const made = await secrets.create(tx, creator, keyId);
        if (!made) throw notFound();
        const { secret, before } = made;
        await recordIdentitySecret(tx, before, true);
        await record(tx, { identity_secret: secret });
        return { identity_secret: secret };
      });
      cache.forget(keyId);
      return answer;
    },

    /** Visitors can no longer prove who they are. Repeated calls change nothing. */
    async deleteIdentitySecret(workspaceId: string, keyId: string): Promise<void> {
      await database.within(workspaceId).transaction(async (tx) => {
        const row = await lock(tx, workspaceId, keyId);
        await widgetKeyStore.update(tx, workspaceId, keyId, { identitySecret: null, identitySecretBy: null });
        await recordIdentitySecret(tx, row, false);
      });
      cache.forget(keyId);
    },

    /** HTML for pages of the bot, with the given key or its newest one. */
    async embedCode(workspaceId: string, botId: string, keyId?: string): Promise<EmbedCode> {
      await bots.getRow(workspaceId, botId);
      const row = keyId
        ? await widgetKeyStore.find(database.within(workspaceId), workspaceId, keyId)
        : await widgetKeyStore.findNewest(database.within(workspaceId), workspaceId, botId);
      if (!row && keyId === undefined)
        throw new AppError('NOT_FOUND', {
          message: 'This bot has no active widget key: create one with POST /api/v1/widgets/keys.',
        });
      if (row?.botId !== botId) throw notFound();
      if (!works(row, clock.now()))
        throw invalid('api_key_id', 'is a key that was revoked or has expired: use another one');
      return { embed_code: embedCode(publicUrl, row.apiKey), api_key: row.apiKey };
    },

    door,

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
    }: Pick<WidgetPrincipal, 'workspaceId' | 'keyId'>): Promise<string | null> {
      return welcomeMessage(await getFull(workspaceId, keyId));
    },

    /** The key with its look and its bot, on a request that has passed the door. */
    getFull,

    /** What sites sign the ids of their users with; null when the key has no such secret. */
    identitySecretOf: secrets.read,
  };

  async function lock(tx: Transaction, workspaceId: string, keyId: string): Promise<WidgetKeyRow> {
    const row = await widgetKeyStore.lock(tx, workspaceId, keyId);
    if (!row) throw notFound();
    return row;
  }

  function show(row: WidgetKeyRow): WidgetKey {
    return toWire(row, clock.now());
  }

  async function getFull(workspaceId: string, keyId: string): Promise<FoundWidgetKey> {
    const found = await lookup.byId(workspaceId, keyId);
    if (!found) throw notFound();
    return found;
  }
}

/** As it is pasted into a page. */
function embedCode(publicUrl: string, apiKey: string): string {
  return `<script src="${escapeHtml(`${publicUrl}/widget.js`)}" data-key="${escapeHtml(apiKey)}" async></script>`;
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
