import { usualRecordingDays } from '@svc/contract/bots';
import type { RetentionKind } from '@svc/contract/retention';
import type { Queryable, Transaction } from '../database/database.ts';
import { asc, eq, lte, sql } from '../database/drizzle.ts';
import {
  cutoffOf,
  deleteExpired,
  type ExpiryRule,
  isForgotten,
  oldestOf,
  oldestRows,
} from './expired-rows.store.ts';
import { retentionSettings as settings } from './retention.tables.ts';

export type RetentionRow = typeof settings.$inferSelect;
type Progress = Pick<RetentionRow, 'dueAt' | 'round' | 'lastRound'>;
export type RetentionDays = Omit<RetentionRow, 'workspaceId' | keyof Progress>;

export interface Batch {
  /** How many rows were looked at, and how many of them were deleted. */
  seen: number;
  deleted: number;
  /** The last row that was looked at. */
  cursor: string[] | null;
}

export interface ExpiredCount {
  deleted: number;
  isAtLeast: boolean;
  /** The oldest that was looked at and stays. */
  oldestKept: string | null;
}

export const retentionStore = {
  async find(query: Queryable, workspaceId: string): Promise<RetentionRow | undefined> {
    const rows = await query.select().from(settings).where(eq(settings.workspaceId, workspaceId));
    return rows[0];
  },

  /** A batch that is being deleted ends first. */
  async lock(tx: Transaction, workspaceId: string): Promise<RetentionRow | undefined> {
    const rows = await tx.select().from(settings).where(eq(settings.workspaceId, workspaceId)).for('update');
    return rows[0];
  },

  /** Undefined if another node is at it, or has been. */
  async lockDue(tx: Transaction, workspaceId: string, now: Date): Promise<RetentionRow | undefined> {
    const rows = await tx
      .select()
      .from(settings)
      .where(
        sql`${settings.workspaceId} = ${workspaceId} and ${settings.dueAt} <= ${now.toISOString()}::timestamptz`,
      )
      .for('update', { skipLocked: true });
    return rows[0];
  },

  async addMissing(query: Queryable, workspaceId: string, now: Date): Promise<void> {
    await query
      .insert(settings)
      .values({ workspaceId, auditDays: undefined, dueAt: now })
      .onConflictDoNothing();
  },

  /** Every workspace has a row, so that each has its turn. */
  async addMissingAcrossWorkspaces(query: Queryable, now: Date): Promise<void> {
    await query.execute(sql`insert into ${settings} (workspace_id, due_at)
      select id, ${now.toISOString()}::timestamptz from workspaces
      where not exists (select from ${settings} where ${settings.workspaceId} = workspaces.id) on conflict do nothing`);
  },

  /** Those that have waited longest first. */
  async listDueAcrossWorkspaces(query: Queryable, now: Date, limit: number): Promise<string[]> {
    const rows = await query
      .select({ id: settings.workspaceId })
      .from(settings)
      .where(lte(settings.dueAt, now))
      .orderBy(asc(settings.dueAt))
      .limit(limit);
    return rows.map(({ id }) => id);
  },

  async update(tx: Queryable, workspaceId: string, change: Partial<RetentionDays & Progress>): Promise<void> {
    await tx.update(settings).set(change).where(eq(settings.workspaceId, workspaceId));
  },

  /** Whether a hold keeps everything. */
  async isWorkspaceHeld(tx: Transaction, workspaceId: string): Promise<boolean> {
    const { rows } = await tx.execute(sql`select from legal_holds where workspace_id = ${workspaceId}
      and conversation_id is null and external_user_id is null limit 1`);
    return rows.length > 0;
  },

  /** After how many days the first recordings expire, by the settings of their bots. */
  async shortestRecordingDays(query: Queryable, workspaceId: string): Promise<number> {
    const { rows } = await query.execute<{ days: number }>(sql`
      select coalesce(min((settings ->> 'recording_retention_days')::integer), ${usualRecordingDays})::integer as days
      from bots where workspace_id = ${workspaceId}`);
    return Math.min(rows[0]?.days ?? usualRecordingDays, usualRecordingDays);
  },

  async count(query: Queryable, workspaceId: string, rule: ExpiryRule, limit: number): Promise<ExpiredCount> {
    const { rows } = await query.execute<{ deleted: number; seen: number; kept: string | null }>(sql`
      with seen as materialized (${oldestRows(workspaceId, rule, null, limit + 1)}),
        counted as (select *, row_number() over (order by age) as number from seen)
      select count(*) filter (where is_expired and number <= ${limit})::int as deleted, count(*)::int as seen,
        min(age) filter (where not is_expired)::text as kept
      from counted`);
    const { deleted = 0, seen = 0, kept = null } = rows[0] ?? {};
    return { deleted, isAtLeast: seen > limit, oldestKept: kept };
  },

  /** When the oldest row of a kind began, or the oldest since a moment. */
  async findOldest(query: Queryable, workspaceId: string, kind: RetentionKind, since?: Date) {
    const { rows } = await query.execute<{ age: string }>(oldestOf(workspaceId, kind, since));
    return rows[0]?.age ?? null;
  },

  /** Looks at the oldest rows after the cursor, and deletes those that have expired. */
  async deleteBatch(
    tx: Transaction,
    workspaceId: string,
    rule: ExpiryRule,
    after: readonly string[] | null,
    limit: number,
  ): Promise<Batch> {
    const { rows } = await tx.execute<Batch & Record<string, unknown>>(
      deleteExpired(workspaceId, rule, oldestRows(workspaceId, rule, after, limit)),
    );
    const { seen = 0, deleted = 0, cursor = null } = rows[0] ?? {};
    return { seen, deleted, cursor };
  },

  /** The oldest conversations after the cursor. */
  async listConversations(
    tx: Transaction,
    workspaceId: string,
    rule: ExpiryRule,
    after: readonly string[] | null,
    limit: number,
  ): Promise<{ id: string; age: string; isExpired: boolean; messageCount: number }[]> {
    const { rows } = await tx.execute<{
      id: string;
      age: string;
      isExpired: boolean;
      messageCount: number;
    }>(sql`
      select seen.key0::text as id, seen.age::text as age, seen.is_expired as "isExpired",
        (select message_count from conversations where conversations.id = seen.key0) as "messageCount"
      from (${oldestRows(workspaceId, rule, after, limit)}) seen order by seen.age, seen.key0`);
    return rows;
  },

  /** Locks those of them in which nothing has happened meanwhile. */
  async lockForgotten(
    tx: Transaction,
    workspaceId: string,
    rule: ExpiryRule,
    ids: readonly string[],
  ): Promise<string[]> {
    const { rows } = await tx.execute<{ id: string }>(sql`
      select c.id from conversations c where c.workspace_id = ${workspaceId} and c.id = any(${sql.param([...ids])}::uuid[])
        and ${isForgotten(cutoffOf(rule))}
      order by c.id for update of c`);
    return rows.map(({ id }) => id);
  },
};
