import type { FailedItem, RunningItem } from '@svc/contract/console-conversations';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/drizzle.ts';
import { firstIdAt } from '../../lib/new-id.ts';

export const maxItems = 20;
const maxChanges = 200;

/** Times are as PostgreSQL prints them. */
type Running = RunningItem & { total: number };
type Failed = FailedItem & { total: number };

/** What the set-up list asks. */
export interface SetUpState extends Record<string, unknown> {
  bot: boolean;
  knowledge: boolean;
  widget: boolean;
  member: boolean;
}

/**
 * The overview reads a few rows of many features, each by an index that holds only those rows, in one statement per list: through
 * the services it would take ten times as many.
 */
export const overviewStore = {
  /** Turns of chats, runs, evaluations, and sources that are being read. */
  async listRunning(query: Queryable, workspaceId: string, channels: readonly string[]): Promise<Running[]> {
    const { rows } = await query.execute<Running>(sql`
      with running as (
        select 'turn' as kind, t.id, c.title, t.bot_id, t.conversation_id, t.started_at, null::float8 as done, null::float8 as "of"
        from turns t join conversations c on c.id = t.conversation_id
        where t.status = 'running' and t.workspace_id = ${workspaceId} and c.channel in (${sql.join([...channels], sql`, `)})
          and not exists (select 1 from runs r where r.turn_id = t.id)
        union all
        select 'run', r.turn_id, r.goal, r.bot_id, r.conversation_id, r.started_at, r.iterations, r.max_iterations
        from runs r where r.status = 'running' and r.workspace_id = ${workspaceId}
        union all
        select 'evaluation', e.id, 'Version ' || e.version, e.bot_id, null, e.created_at,
          (select count(*) from evaluation_cases k where k.evaluation_id = e.id and k.ended_at is not null),
          (select count(*) from evaluation_cases k where k.evaluation_id = e.id)
        from evaluations e where e.status = 'running' and e.workspace_id = ${workspaceId}
        union all
        select 'knowledge', k.id, k.title, k.bot_id, null, k.created_at, k.processing_progress, 1
        from knowledge k where k.processing_status in ('pending', 'processing') and k.status = 'active' and k.workspace_id = ${workspaceId}
      )
      select running.*, bots.name as bot_name, (count(*) over ())::int as total
      from running left join bots on bots.id = running.bot_id
      order by started_at desc limit ${maxItems}`);
    return rows;
  },

  async listFailed(query: Queryable, workspaceId: string, since: Date, channels: readonly string[]) {
    const from = since.toISOString();
    const { rows } = await query.execute<Failed>(sql`
      with failed as (
        select 'turn' as kind, t.id, c.title, t.bot_id, t.conversation_id, t.ended_at as at, t.error->>'message' as reason
        from turns t join conversations c on c.id = t.conversation_id
        where t.status = 'failed' and t.workspace_id = ${workspaceId} and t.ended_at > ${from} and c.channel in (${sql.join([...channels], sql`, `)})
          and not exists (select 1 from runs r where r.turn_id = t.id)
        union all
        select 'run', r.turn_id, c.title, r.bot_id, r.conversation_id, r.ended_at,
          coalesce(r.error->>'message', case r.status when 'timed_out' then 'It took too long.' else 'It used up its iterations.' end)
        from runs r join conversations c on c.id = r.conversation_id
        where r.status in ('failed', 'timed_out', 'max_iterations_reached') and r.workspace_id = ${workspaceId} and r.ended_at > ${from}
        union all
        select 'webhook', r.turn_id, c.title, r.bot_id, r.conversation_id, r.ended_at,
          coalesce(r.webhook_error, 'The webhook did not accept the result.')
        from runs r join conversations c on c.id = r.conversation_id
        where r.webhook_status = 'failed' and r.workspace_id = ${workspaceId} and r.ended_at > ${from}
        union all
        select 'knowledge', k.id, k.title, k.bot_id, null, k.updated_at, coalesce(k.error, 'It could not be read.')
        from knowledge k
        where k.processing_status = 'failed' and k.status = 'active' and k.workspace_id = ${workspaceId} and k.updated_at > ${from}
      )
      select failed.*, bots.name as bot_name, (count(*) over ())::int as total
      from failed left join bots on bots.id = failed.bot_id
      order by at desc limit ${maxItems}`);
    return rows;
  },

  async countApprovals(query: Queryable, workspaceId: string): Promise<number> {
    const { rows } = await query.execute<{ count: number }>(
      sql`select count(*)::int as count from approvals where workspace_id = ${workspaceId} and status = 'pending'`,
    );
    return rows[0]?.count ?? 0;
  },

  /** When the last approval was answered or the last conversation given back to its bot. The latter is looked for in recent changes. */
  async findQuietSince(query: Queryable, workspaceId: string): Promise<string | null> {
    const { rows } = await query.execute<{ at: string | null }>(sql`
      select greatest(
        (select resolved_at from approvals where workspace_id = ${workspaceId} and status <> 'pending'
          order by resolved_at desc limit 1),
        (select max(created_at) from (
            select created_at, changes from audit_entries
            where workspace_id = ${workspaceId} and action = 'conversation.updated' order by id desc limit ${maxChanges}
          ) as recent
          where changes::jsonb @> '[{"field": "needs_human"}]')
      ) as at`);
    return rows[0]?.at ?? null;
  },

  async countBegun(query: Queryable, workspaceId: string, since: Date, channels: readonly string[]) {
    const { rows } = await query.execute<{ count: number }>(sql`
      select count(*)::int as count from conversations
      where workspace_id = ${workspaceId} and id >= ${firstIdAt(since)} and channel in (${sql.join([...channels], sql`, `)})`);
    return rows[0]?.count ?? 0;
  },

  async readSetUp(query: Queryable, workspaceId: string): Promise<SetUpState> {
    const { rows } = await query.execute<SetUpState>(sql`
      select
        exists (select 1 from bots where workspace_id = ${workspaceId}) as bot,
        exists (select 1 from knowledge where workspace_id = ${workspaceId} and status = 'active') as knowledge,
        exists (select 1 from widget_keys where workspace_id = ${workspaceId} and last_used_at is not null and not is_test) as widget,
        (select count(*) > 1 from members where workspace_id = ${workspaceId}) as member`);
    return rows[0] ?? { bot: false, knowledge: false, widget: false, member: false };
  },
};
