import type { UsageKey } from '@svc/contract/usage';
import type { SQL } from 'drizzle-orm';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/drizzle.ts';
import { usageRecords as records } from '../billing.tables.ts';
import type { UsageWanted } from './usage-query.ts';

export type UsageKeys = Record<UsageKey, string | null>;

export interface UnpricedUsage extends UsageKeys {
  models: string[];
}

export interface UsageSum extends UsageKeys {
  turns: number;
  inputTokens: number;
  outputTokens: number;
  callSeconds: number;
  /** As far as prices are known. */
  costUsd: string;
  /** False when a part of it has no known price. */
  isPriced: boolean;
}

const columns: Record<UsageKey, SQL> = {
  day: sql`(${records.createdAt} at time zone 'UTC')::date`,
  bot: sql`${records.botId}`,
  model: sql`${records.model}`,
  channel: sql`${records.channel}`,
  external_user_id: sql`${records.externalUserId}`,
};

export const usageStore = {
  /** Sums by the requested keys, in their order; the other keys are null. */
  async list(query: Queryable, workspaceId: string, { from, to, by }: UsageWanted, limit: number) {
    const column = (key: UsageKey) => (by.includes(key) ? columns[key] : sql`null`);
    // Grouped by turn first: counting distinct turns among a million rows is slower than counting groups.
    const { rows } = await query.execute<UsageSum & Record<string, unknown>>(sql`
      with of_turns as (
        select ${column('day')} as day, ${column('bot')}::text as bot, ${column('model')} as model,
          ${column('channel')} as channel, ${column('external_user_id')} as external_user_id, ${records.turnId} as turn,
          sum(${records.inputTokens}) as input, sum(${records.outputTokens}) as output, coalesce(sum(${records.costUsd}), 0) as cost,
          sum(${records.callSeconds}) as seconds,
          count(*) = count(${records.costUsd}) as is_priced
        from ${records}
        where ${records.workspaceId} = ${workspaceId} and ${records.createdAt} >= ${from} and ${records.createdAt} < ${to}
        group by 1, 2, 3, 4, 5, 6
      )
      select day::text as day, bot, model, channel, external_user_id, count(turn)::int as turns, sum(input)::float8 as "inputTokens",
        sum(output)::float8 as "outputTokens", sum(seconds)::float8 as "callSeconds", sum(cost)::text as "costUsd",
        bool_and(is_priced) as "isPriced"
      from of_turns group by day, bot, model, channel, external_user_id
      order by day, bot, model, channel, external_user_id limit ${limit}`);
    return rows;
  },

  /** The models without a known price by the same keys, where there are any. */
  async listUnpriced(query: Queryable, workspaceId: string, { from, to, by }: UsageWanted) {
    const column = (key: UsageKey) => (by.includes(key) ? columns[key] : sql`null`);
    const { rows } = await query.execute<UnpricedUsage & Record<string, unknown>>(sql`
      select ${column('day')}::text as day, ${column('bot')}::text as bot, ${column('model')} as model,
        ${column('channel')} as channel, ${column('external_user_id')} as external_user_id,
        array_agg(distinct ${records.model}) as models
      from ${records}
      where ${records.workspaceId} = ${workspaceId} and ${records.createdAt} >= ${from} and ${records.createdAt} < ${to}
        and ${records.costUsd} is null
      group by 1, 2, 3, 4, 5`);
    return rows;
  },

  /** What was spent since a moment, as far as prices are known, and when the workspace used something for the first time. */
  async spentSince(query: Queryable, workspaceId: string, since: Date) {
    const { rows } = await query.execute<{ cost: string; first: Date | string | null }>(sql`
      select coalesce(sum(${records.costUsd}), 0)::text as cost,
        (select min(${records.createdAt}) from ${records} where ${records.workspaceId} = ${workspaceId}) as first
      from ${records} where ${records.workspaceId} = ${workspaceId} and ${records.createdAt} >= ${since}`);
    const [row] = rows;
    return { costUsd: row?.cost ?? '0', firstAt: row?.first ? new Date(row.first) : null };
  },

  /**
   * The seconds until what a user has cost within 24 hours is below the limit; null if it already is. Costs leave the 24 hours
   * oldest first, so it is the newest record with which those after it reach the limit.
   */
  async secondsOverLimit(
    query: Queryable,
    workspaceId: string,
    { externalUserId, limitUsd }: { externalUserId: string; limitUsd: string },
  ): Promise<number | null> {
    const { rows } = await query.execute<{ seconds: number | null }>(sql`
      select extract(epoch from max(created_at) + interval '24 hours' - now())::float8 as seconds
      from (
        select ${records.createdAt} as created_at, sum(${records.costUsd}) over (order by ${records.createdAt} desc) as since
        from ${records}
        where ${records.workspaceId} = ${workspaceId} and ${records.externalUserId} = ${externalUserId}
          and ${records.createdAt} > now() - interval '24 hours'
      ) as of_user
      where since > 0 and since >= ${limitUsd}::numeric`);
    return rows[0]?.seconds ?? null;
  },
};
