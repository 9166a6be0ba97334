import type { UsageKey } from '@svc/contract/usage';
import type { SQL } from 'drizzle-orm';
import type { Queryable } from '../../database/database.ts';
import { and, eq, gte, lt, sql } from '../../database/drizzle.ts';
import { usageRecords as records } from '../tables.ts';
import type { UsageWanted } from './usage-query.ts';

export interface UsageSum {
  day: string | null;
  bot: string | null;
  model: string | null;
  external_user_id: string | null;
  turns: number;
  inputTokens: number;
  outputTokens: number;
  /** Null when the price of a part of it was not known. */
  costUsd: string | null;
}

const columns: Record<UsageKey, SQL> = {
  day: sql`to_char(${records.createdAt} at time zone 'UTC', 'YYYY-MM-DD')`,
  bot: sql`${records.botId}`,
  model: sql`${records.model}`,
  external_user_id: sql`${records.externalUserId}`,
};

export const usageStore = {
  /** Sums by every key that is asked for, in its order; the others are null. */
  list(
    query: Queryable,
    workspaceId: string,
    { from, to, by }: UsageWanted,
    limit: number,
  ): Promise<UsageSum[]> {
    const column = (key: UsageKey) => (by.includes(key) ? columns[key] : sql`null`);
    // By their place among what is selected: an expression written twice has parameters of its own each time.
    const places = by.map((key) => sql.raw(String(Object.keys(columns).indexOf(key) + 1)));
    const found = query
      .select({
        day: sql<string | null>`${column('day')}`,
        bot: sql<string | null>`${column('bot')}`,
        model: sql<string | null>`${column('model')}`,
        external_user_id: sql<string | null>`${column('external_user_id')}`,
        turns: sql<number>`count(distinct ${records.turnId})::int`,
        inputTokens: sql<number>`coalesce(sum(${records.inputTokens}), 0)::float8`,
        outputTokens: sql<number>`coalesce(sum(${records.outputTokens}), 0)::float8`,
        costUsd: sql<
          string | null
        >`case when count(*) = count(${records.costUsd}) then sum(${records.costUsd}) end`,
      })
      .from(records)
      .where(
        and(eq(records.workspaceId, workspaceId), gte(records.createdAt, from), lt(records.createdAt, to)),
      )
      .$dynamic();
    const grouped =
      by.length > 0 ? found.groupBy(...places).orderBy(...places) : found.having(sql`count(*) > 0`);
    return grouped.limit(limit);
  },
};
