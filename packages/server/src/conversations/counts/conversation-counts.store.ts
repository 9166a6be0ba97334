import { unlistedChannels } from '@svc/contract/channels';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/drizzle.ts';

export interface BotCount {
  botId: string;
  count: number;
}

export interface DayCount extends BotCount {
  /** In UTC: `2026-11-15`. */
  day: string;
}

const isListed = sql`channel <> all(${sql.param(unlistedChannels)}::text[])`;

/** How many conversations bots have, without those that no list shows. */
export const conversationCountStore = {
  /** Each bot's are counted up to a limit, so that a busy bot does not make this slow. */
  async countByBot(query: Queryable, workspaceId: string, botIds: readonly string[], limit: number) {
    const { rows } = await query.execute<BotCount & Record<string, unknown>>(
      sql`select bot.id as "botId", (
            select count(*)::int from (
              select from conversations
              where workspace_id = ${workspaceId} and bot_id = bot.id and ${isListed} limit ${limit}
            ) as counted
          ) as count
          from unnest(${sql.param([...botIds])}::uuid[]) as bot(id)`,
    );
    return rows;
  },

  /** Of conversations with ids from this one on: ids grow over time. */
  async countByDay(query: Queryable, workspaceId: string, fromId: string): Promise<DayCount[]> {
    const { rows } = await query.execute<DayCount & Record<string, unknown>>(
      sql`select bot_id as "botId", to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*)::int as count
          from conversations
          where workspace_id = ${workspaceId} and id >= ${fromId} and ${isListed}
          group by 1, 2`,
    );
    return rows;
  },
};
