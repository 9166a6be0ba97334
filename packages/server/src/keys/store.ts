import type { Queryable, Transaction } from '../database/database.ts';
import {
  and,
  asc,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  lte,
  or,
  sql,
} from '../database/drizzle.ts';
import { type ListPlace, listPage, type PagePart, rowBytes } from '../database/list-page.ts';
import type { StoredLimits } from '../limits/workspace-limits.ts';
import { accountKeys } from './tables.ts';

export type KeyRow = typeof accountKeys.$inferSelect;
/** With the limits of its workspace, so that a request needs one statement. */
export type FoundKey = KeyRow & { limits: StoredLimits };
export type NewKey = Omit<typeof accountKeys.$inferInsert, 'workspaceId'>;

/** Every node listens here for keys that must stop working. The payload is the key's id. */
export const revokedChannel = 'svc_key_revoked';

const storedLimits = sql<StoredLimits>`(select limits from workspaces where id = ${accountKeys.workspaceId})`;

export const keyStore = {
  async insert(query: Queryable, workspaceId: string, key: NewKey): Promise<void> {
    await query.insert(accountKeys).values({ ...key, workspaceId });
  },

  async findByHashAcrossWorkspaces(query: Queryable, hash: Buffer): Promise<FoundKey | undefined> {
    const rows = await query
      .select({ ...getTableColumns(accountKeys), limits: storedLimits })
      .from(accountKeys)
      .where(eq(accountKeys.hash, hash));
    return rows[0];
  },

  async findWithLimits(query: Queryable, workspaceId: string, keyId: string): Promise<FoundKey | undefined> {
    const rows = await query
      .select({ ...getTableColumns(accountKeys), limits: storedLimits })
      .from(accountKeys)
      .where(and(eq(accountKeys.id, keyId), eq(accountKeys.workspaceId, workspaceId)));
    return rows[0];
  },

  async listDeadAcrossWorkspaces(query: Queryable, keyIds: string[], now: Date): Promise<string[]> {
    const rows = await query
      .select({ id: accountKeys.id })
      .from(accountKeys)
      .where(
        and(
          inArray(accountKeys.id, keyIds),
          or(isNotNull(accountKeys.revokedAt), lte(accountKeys.expiresAt, now)),
        ),
      );
    return rows.map(({ id }) => id);
  },

  listAcrossWorkspaces(query: Queryable): Promise<KeyRow[]> {
    return query.select().from(accountKeys).orderBy(asc(accountKeys.createdAt), asc(accountKeys.id));
  },

  /** Oldest first. */
  listPage(
    query: Queryable,
    workspaceId: string,
    after: ListPlace | undefined,
  ): Promise<(KeyRow & PagePart)[]> {
    const { page, isOnPage, part } = listPage(accountKeys, {
      order: [accountKeys.createdAt, accountKeys.id],
      filter: eq(accountKeys.workspaceId, workspaceId),
      after,
      bytes: rowBytes([accountKeys.name], []),
    });
    return query
      .select({ ...getTableColumns(accountKeys), ...part })
      .from(accountKeys)
      .innerJoin(page, isOnPage)
      .orderBy(asc(accountKeys.createdAt), asc(accountKeys.id));
  },

  /** Blocks other inserts of keys until the transaction ends, so that the count stays valid. */
  async countAloneAcrossWorkspaces(tx: Transaction): Promise<number> {
    await tx.execute(sql`lock table ${accountKeys} in share row exclusive mode`);
    const rows = await tx.select({ count: sql<number>`count(*)::int` }).from(accountKeys);
    return rows[0]?.count ?? 0;
  },

  async find(query: Queryable, workspaceId: string, keyId: string): Promise<KeyRow | undefined> {
    const isKey = and(eq(accountKeys.id, keyId), eq(accountKeys.workspaceId, workspaceId));
    return (await query.select().from(accountKeys).where(isKey))[0];
  },

  /** Revokes a key and notifies every node, in one transaction. A key that is already revoked does not change. */
  async revokeAcrossWorkspaces(
    tx: Transaction,
    keyId: string,
  ): Promise<{ row: KeyRow | undefined; isChanged: boolean }> {
    const changed = await tx
      .update(accountKeys)
      .set({ revokedAt: sql`now()` })
      .where(and(eq(accountKeys.id, keyId), isNull(accountKeys.revokedAt)))
      .returning({ id: accountKeys.id });
    await tx.execute(sql`select pg_notify(${revokedChannel}, ${keyId})`);
    const rows = await tx.select().from(accountKeys).where(eq(accountKeys.id, keyId));
    return { row: rows[0], isChanged: changed.length > 0 };
  },

  /** The ids and the times at which the keys were used, in the same order. */
  async setLastUsesAcrossWorkspaces(query: Queryable, keyIds: string[], times: Date[]): Promise<void> {
    const used = times.map((time) => time.toISOString());
    await query.execute(sql`update account_keys set last_used_at = used.at
      from unnest(${sql.param(keyIds)}::uuid[], ${sql.param(used)}::timestamptz[]) as used (id, at)
      where account_keys.id = used.id and coalesce(last_used_at, '-infinity') < used.at`);
  },

  /** The bootstrap key is configured at every start, but created only at the first. */
  async insertIfAbsent(query: Queryable, workspaceId: string, key: NewKey): Promise<void> {
    await query
      .insert(accountKeys)
      .values({ ...key, workspaceId })
      .onConflictDoNothing();
  },
};
