import type { Queryable, Transaction } from '../database/database.ts';
import {
  and,
  asc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  lte,
  or,
  sql,
} from '../database/drizzle.ts';
import { type ListCursor, listPage, rowBytes } from '../database/list-page.ts';
import type { StoredLimits } from '../limits/workspace-limits.ts';
import { accountKeys } from './keys.tables.ts';

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
  listPage(query: Queryable, workspaceId: string, after: ListCursor | undefined) {
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

  /** The key if it is not revoked; it cannot be revoked until the transaction ends. */
  async holdWorking(tx: Transaction, workspaceId: string, keyId: string): Promise<boolean> {
    const rows = await tx
      .select({ revokedAt: accountKeys.revokedAt })
      .from(accountKeys)
      .where(and(eq(accountKeys.id, keyId), eq(accountKeys.workspaceId, workspaceId)))
      .for('share');
    return rows[0] !== undefined && !rows[0].revokedAt;
  },

  /** The ids of the keys that a member has made, and that those have made, and so on. Revoked ones too. */
  async listMadeBy(query: Queryable, workspaceId: string, memberId: string): Promise<string[]> {
    const { rows } = await query.execute<{ id: string }>(sql`with recursive made as (
        select first_keys.id from account_keys first_keys
        where first_keys.workspace_id = ${workspaceId} and first_keys.created_by = ${memberId}
      union
        select next_keys.id from account_keys next_keys join made on next_keys.created_by = made.id
        where next_keys.workspace_id = ${workspaceId})
      select made.id from made`);
    return rows.map(({ id }) => id);
  },

  async lock(tx: Transaction, workspaceId: string, keyIds: string[]): Promise<void> {
    await tx
      .select({ id: accountKeys.id })
      .from(accountKeys)
      .where(and(eq(accountKeys.workspaceId, workspaceId), inArray(accountKeys.id, keyIds)))
      .orderBy(asc(accountKeys.id))
      .for('update');
  },

  /** Those of these keys that are neither revoked nor expired, oldest first. */
  listWorking(query: Queryable, workspaceId: string, keyIds: string[]) {
    const { id, name, abilities, createdAt, expiresAt, revokedAt } = accountKeys;
    return query
      .select({ id, name, abilities, createdAt })
      .from(accountKeys)
      .where(
        and(
          eq(accountKeys.workspaceId, workspaceId),
          inArray(id, keyIds),
          isNull(revokedAt),
          or(isNull(expiresAt), gt(expiresAt, sql`now()`)),
        ),
      )
      .orderBy(asc(createdAt), asc(id));
  },

  /** Revokes a key and notifies every node, in one transaction. A key that is already revoked does not change. */
  async revokeAcrossWorkspaces(tx: Transaction, keyId: string) {
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
