import { usualRecordingDays } from '@svc/contract/bots';
import type { RetentionKind } from '@svc/contract/retention';
import type { SQL } from 'drizzle-orm';
import { sql } from '../database/drizzle.ts';

/** What is deleted of a kind, and when it has expired. */
export interface ExpiryRule {
  kind: RetentionKind;
  /** Days that the workspace keeps it; null: no limit of the workspace. */
  days: number | null;
  /** Days after which the first of it can expire. */
  shortestDays: number;
  now: Date;
}

const dayMilliseconds = 24 * 60 * 60 * 1_000;

interface ExpiringTable {
  name: SQL;
  /** Of the row `t`. */
  age: SQL;
  key: readonly { column: SQL; type: SQL }[];
  /** The conversation `c` that a row belongs to, if any. */
  join: SQL;
}

const uuidKey = (column: string) => ({ column: sql.raw(`t.${column}`), type: sql`uuid` });
const ofConversation = sql`left join conversations c on c.id = t.conversation_id`;

const tables: Record<RetentionKind, ExpiringTable> = {
  traces: { name: sql`trace_steps`, age: sql`t.started_at`, key: [uuidKey('id')], join: ofConversation },
  events: {
    name: sql`events`,
    age: sql`t.created_at`,
    key: [uuidKey('conversation_id'), { column: sql`t.sequence`, type: sql`bigint` }],
    join: ofConversation,
  },
  recordings: {
    name: sql`call_recordings`,
    age: sql`t.created_at`,
    key: [uuidKey('call_id')],
    join: sql`left join conversations c on c.id = t.call_id`,
  },
  audit: { name: sql`audit_entries`, age: sql`t.created_at`, key: [uuidKey('id')], join: sql`` },
  conversations: {
    name: sql`conversations`,
    age: sql`t.created_at`,
    key: [uuidKey('id')],
    join: sql`join conversations c on c.id = t.id`,
  },
};

/** The moment before which rows have expired, or can have expired. */
export function cutoffOf({ now, shortestDays }: ExpiryRule): Date {
  return new Date(now.getTime() - shortestDays * dayMilliseconds);
}

/**
 * The oldest rows of a kind after a cursor, each with whether it is to be deleted. Rows are found by their age, in the order of an
 * index, so that a statement looks at no more than its limit, however many of them stay.
 */
export function oldestRows(
  workspaceId: string,
  rule: ExpiryRule,
  after: readonly string[] | null,
  limit: number,
): SQL {
  const { name, age, key, join } = tables[rule.kind];
  const order = sql.join([age, ...key.map(({ column }) => column)], sql`, `);
  const types = [sql`timestamptz`, ...key.map(({ type }) => type)];
  const cursor =
    after &&
    sql`and (${order}) > (${sql.join(
      types.map((type, index) => sql`${after[index]}::${type}`),
      sql`, `,
    )})`;
  const keys = sql.join(
    key.map(({ column }, index) => sql`${column} as ${sql.identifier(`key${index}`)}`),
    sql`, `,
  );
  return sql`select ${keys}, ${age} as age, ${isExpired(workspaceId, rule)} as is_expired
    from ${name} t ${join}
    where t.workspace_id = ${workspaceId} and ${age} < ${cutoffOf(rule).toISOString()}::timestamptz ${cursor ?? sql``}
    order by ${order} limit ${limit}`;
}

/** When the oldest row of a kind began, or the oldest since a moment. */
export function oldestOf(workspaceId: string, kind: RetentionKind, since?: Date): SQL {
  const { name, age } = tables[kind];
  const isYoung = since && sql`and ${age} >= ${since.toISOString()}::timestamptz`;
  return sql`select ${age}::text as age from ${name} t where t.workspace_id = ${workspaceId} ${isYoung ?? sql``}
    order by ${age} limit 1`;
}

/** Deletes those of the rows that have expired. */
export function deleteExpired(workspaceId: string, { kind }: ExpiryRule, rows: SQL): SQL {
  const { name, key } = tables[kind];
  const isSame = sql.join(
    key.map(({ column }, index) => sql`${column} = seen.${sql.identifier(`key${index}`)}`),
    sql` and `,
  );
  const last = sql.join(
    [sql`age::text`, ...key.map((_, index) => sql`${sql.identifier(`key${index}`)}::text`)],
    sql`, `,
  );
  const backwards = sql.join(
    [sql`age desc`, ...key.map((_, index) => sql`${sql.identifier(`key${index}`)} desc`)],
    sql`, `,
  );
  return sql`with seen as materialized (${rows}), gone as (
      delete from ${name} t using seen where t.workspace_id = ${workspaceId} and seen.is_expired and ${isSame} returning 1
    )
    select (select count(*)::int from seen) as seen, (select count(*)::int from gone) as deleted,
      (select array[${last}] from seen order by ${backwards} limit 1) as cursor`;
}

/** Whether the row `t`, which is old enough for its workspace, is to be deleted. */
function isExpired(workspaceId: string, rule: ExpiryRule): SQL {
  const { kind, days, now } = rule;
  const isWorkspaceHeld = sql`exists (select from legal_holds h where h.workspace_id = ${workspaceId}
    and h.conversation_id is null and h.external_user_id is null)`;
  const isHeld = sql`(${isWorkspaceHeld} or exists (select from legal_holds h where h.conversation_id = c.id)
    or exists (select from legal_holds h where h.workspace_id = ${workspaceId} and h.external_user_id = c.external_user_id))`;
  switch (kind) {
    case 'audit':
      return sql`not ${isWorkspaceHeld}`;
    case 'traces':
      return sql`not ${isHeld}`;
    case 'events':
      // The newest stays, so that readers who have missed others find a gap before it.
      return sql`(t.sequence < c.last_sequence and not ${isHeld} and not exists (
        select from turns where turns.id = t.turn_id and turns.status in ('running', 'paused')))`;
    case 'recordings': {
      const ofBot = sql`coalesce((select (b.settings ->> 'recording_retention_days')::integer from bots b where b.id = t.bot_id), ${usualRecordingDays})`;
      return sql`(t.created_at < ${now.toISOString()}::timestamptz - make_interval(hours => 24 * least(${ofBot}, ${days}::integer))
        and not ${isHeld} and not exists (select from voice_calls v where v.id = t.call_id and v.ended_at is null))`;
    }
    case 'conversations':
      return sql`(${isForgotten(cutoffOf(rule))} and not ${isHeld})`;
  }
}

/** Whether nothing has happened in the conversation `c` since then, and nothing is happening. */
export function isForgotten(cutoff: Date): SQL {
  return sql`(c.status = 'idle' and c.updated_at < ${cutoff.toISOString()}::timestamptz
    and not exists (select from voice_calls v where v.id = c.id and v.ended_at is null)
    and not exists (select from voice_transfers x where x.call_id = c.id))`;
}
