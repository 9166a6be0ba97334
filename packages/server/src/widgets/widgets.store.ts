import type { BotSettings } from '@svc/contract/bots';
import type { Queryable, Transaction } from '../database/database.ts';
import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  lt,
  or,
  sql,
} from '../database/drizzle.ts';
import { type ListCursor, listPage, rowBytes } from '../database/list-page.ts';
import type { StoredLimits } from '../limits/workspace-limits.ts';
import { widgetCustomizations, widgetKeys } from './widgets.tables.ts';

export type WidgetKeyRow = typeof widgetKeys.$inferSelect;
export type NewWidgetKey = Pick<
  WidgetKeyRow,
  | 'id'
  | 'botId'
  | 'apiKey'
  | 'name'
  | 'allowedDomains'
  | 'rateLimitPerHour'
  | 'visitorMessagesPerHour'
  | 'visitorUsdPerDay'
>;
export type WidgetKeyChange = Partial<
  Pick<
    WidgetKeyRow,
    'name' | 'allowedDomains' | 'rateLimitPerHour' | 'visitorMessagesPerHour' | 'visitorUsdPerDay'
  >
>;

/** A key with everything that a request of a page needs, so that it takes one statement. */
export interface FoundWidgetKey {
  key: WidgetKeyRow;
  look: typeof widgetCustomizations.$inferSelect | null;
  bot: { name: string; isActive: boolean; greeting: string | null; settings: BotSettings };
  limits: StoredLimits;
}

/** PostgreSQL's notifications that a key, a look or a bot was changed. The payload is the id of the key or the bot. */
export const widgetChangedChannel = 'svc_widget_changed';

const bot = sql<FoundWidgetKey['bot']>`(
  select json_build_object('name', name, 'isActive', status = 'active', 'greeting', settings->>'chat_greeting',
    'settings', settings)
  from bots where bots.id = ${widgetKeys.botId})`;
const limits = sql<StoredLimits>`(select limits from workspaces where id = ${widgetKeys.workspaceId})`;

export interface WidgetKeySummary {
  botId: string;
  activeKeys: number;
  lastUsedAt: Date | null;
  lastUsedHost: string | null;
}

const maxSummaries = 1_000;

export const widgetKeyStore = {
  async insert(tx: Transaction, workspaceId: string, key: NewWidgetKey): Promise<WidgetKeyRow> {
    const rows = await tx
      .insert(widgetKeys)
      .values({ ...key, workspaceId })
      .returning();
    return theOnly(rows);
  },

  /** The bot's test key, which is created or extended. Nodes that have seen it expire look it up again. */
  async putTestKey(tx: Transaction, workspaceId: string, key: NewWidgetKey & { expiresAt: Date }) {
    const rows = await tx
      .insert(widgetKeys)
      .values({ ...key, workspaceId, isTest: true })
      .onConflictDoUpdate({
        target: widgetKeys.botId,
        targetWhere: sql`is_test and revoked_at is null`,
        set: { expiresAt: key.expiresAt },
      })
      .returning();
    // Named by its bot, because a change of the key itself would end its streams.
    await tx.execute(changedNotice(key.botId));
    return theOnly(rows);
  },

  async findByKeyAcrossWorkspaces(query: Queryable, apiKey: string): Promise<FoundWidgetKey | undefined> {
    const statement = query.compiled('widgets.find_by_key', () =>
      selectFound(query).where(eq(widgetKeys.apiKey, sql.placeholder('apiKey'))),
    );
    return (await statement.execute({ apiKey }))[0];
  },

  async findFull(query: Queryable, workspaceId: string, keyId: string): Promise<FoundWidgetKey | undefined> {
    return (await selectFound(query).where(isKey(workspaceId, keyId)))[0];
  },

  async find(query: Queryable, workspaceId: string, keyId: string): Promise<WidgetKeyRow | undefined> {
    return (await query.select().from(widgetKeys).where(isKey(workspaceId, keyId)))[0];
  },

  /** The bot's newest key that works; test keys do not count. */
  async findNewest(query: Queryable, workspaceId: string, botId: string): Promise<WidgetKeyRow | undefined> {
    const rows = await query
      .select()
      .from(widgetKeys)
      .where(and(ofBot(workspaceId, botId), isNull(widgetKeys.revokedAt)))
      .orderBy(desc(widgetKeys.createdAt), desc(widgetKeys.id))
      .limit(1);
    return rows[0];
  },

  /** Oldest first, without test keys. */
  listPage(query: Queryable, workspaceId: string, botId: string, after: ListCursor | undefined) {
    const { name, allowedDomains } = widgetKeys;
    const { page, isOnPage, part } = listPage(widgetKeys, {
      order: [widgetKeys.createdAt, widgetKeys.id],
      filter: ofBot(workspaceId, botId),
      after,
      bytes: rowBytes([name], [allowedDomains]),
    });
    return query
      .select({ ...getTableColumns(widgetKeys), ...part })
      .from(widgetKeys)
      .innerJoin(page, isOnPage)
      .orderBy(asc(widgetKeys.createdAt), asc(widgetKeys.id));
  },

  /** For each bot that has keys: how many work, and where one was last used. */
  async summarize(query: Queryable, workspaceId: string, now: Date): Promise<WidgetKeySummary[]> {
    const { botId, revokedAt, expiresAt, lastUsedAt, lastUsedHost, isTest } = widgetKeys;
    const works = sql`${revokedAt} is null and (${expiresAt} is null or ${expiresAt} > ${now})`;
    return query
      .select({
        botId,
        activeKeys: sql<number>`(count(*) filter (where ${works}))::int`,
        lastUsedAt: sql<Date | null>`max(${lastUsedAt})`.mapWith(lastUsedAt),
        lastUsedHost: sql<
          string | null
        >`(array_agg(${lastUsedHost} order by ${lastUsedAt} desc nulls last))[1]`,
      })
      .from(widgetKeys)
      .where(and(eq(widgetKeys.workspaceId, workspaceId), eq(isTest, false)))
      .groupBy(botId)
      .limit(maxSummaries);
  },

  /** Changes a key and notifies every node. Undefined when there is no such key. */
  async update(
    tx: Transaction,
    workspaceId: string,
    keyId: string,
    change: WidgetKeyChange & { identitySecret?: Buffer | null; identitySecretBy?: string | null },
  ): Promise<WidgetKeyRow | undefined> {
    const rows = await tx
      .update(widgetKeys)
      // An empty change still returns the row.
      .set({ botId: sql`${widgetKeys.botId}`, ...change })
      .where(isKey(workspaceId, keyId))
      .returning();
    if (rows.length > 0) await tx.execute(changedNotice(keyId));
    return rows[0];
  },

  /** Locks a key until the transaction ends. */
  async lock(tx: Transaction, workspaceId: string, keyId: string): Promise<WidgetKeyRow | undefined> {
    return (await tx.select().from(widgetKeys).where(isKey(workspaceId, keyId)).for('update'))[0];
  },

  /** Revokes a key and notifies every node. One that is revoked does not change. */
  async revoke(tx: Transaction, workspaceId: string, keyId: string): Promise<void> {
    await tx
      .update(widgetKeys)
      .set({ revokedAt: sql`coalesce(${widgetKeys.revokedAt}, now())` })
      .where(isKey(workspaceId, keyId));
    await tx.execute(changedNotice(keyId));
  },

  /** Unless another node has done so since `before`. */
  async noteUse(
    query: Queryable,
    workspaceId: string,
    keyId: string,
    use: { host: string; at: Date; before: Date },
  ): Promise<void> {
    const { lastUsedAt } = widgetKeys;
    await query
      .update(widgetKeys)
      .set({ lastUsedAt: use.at, lastUsedHost: use.host })
      .where(and(isKey(workspaceId, keyId), or(isNull(lastUsedAt), lt(lastUsedAt, use.before))));
  },

  /** The working keys whose identity secret was made by one of these members or keys, oldest first. */
  listSecretsBy(query: Queryable, workspaceId: string, creators: string[]) {
    const { id, name, createdAt, identitySecret, identitySecretBy, revokedAt } = widgetKeys;
    const isMade = and(isNotNull(identitySecret), inArray(identitySecretBy, creators), isNull(revokedAt));
    return query
      .select({ id, name, createdAt })
      .from(widgetKeys)
      .where(and(eq(widgetKeys.workspaceId, workspaceId), isMade))
      .orderBy(asc(createdAt), asc(id));
  },

  /** Every identity secret, locked for a change of the encryption key. */
  async lockSecretsAcrossWorkspaces(tx: Transaction) {
    const { id, workspaceId, identitySecret } = widgetKeys;
    return tx
      .select({ id, workspaceId, identitySecret })
      .from(widgetKeys)
      .where(isNotNull(identitySecret))
      .for('update');
  },
};

function selectFound(query: Queryable) {
  return query
    .select({ key: widgetKeys, look: widgetCustomizations, bot, limits })
    .from(widgetKeys)
    .leftJoin(widgetCustomizations, eq(widgetCustomizations.botId, widgetKeys.botId));
}

function isKey(workspaceId: string, keyId: string) {
  return and(eq(widgetKeys.id, keyId), eq(widgetKeys.workspaceId, workspaceId));
}

function ofBot(workspaceId: string, botId: string) {
  const isOfBot = and(eq(widgetKeys.botId, botId), eq(widgetKeys.workspaceId, workspaceId));
  return and(isOfBot, eq(widgetKeys.isTest, false));
}

function changedNotice(id: string) {
  return sql`select pg_notify(${widgetChangedChannel}, ${id})`;
}

function theOnly<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (!row) throw new Error('The statement returned no row.');
  return row;
}
