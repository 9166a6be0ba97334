import { randomUUID } from 'node:crypto';
import { type RetentionKind, retentionKinds } from '@svc/contract/retention';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { oldestOf, oldestRows } from '../../src/retention/expired-rows.store.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { clock, day, now, secondsBefore } from './use-retention.ts';

let store: TestDatabase;
const run = (statement: ReturnType<typeof sql>) => store.database.acrossWorkspaces.execute(statement);
const workspaceId = randomUUID();
const other = randomUUID();

/** Many rows of two workspaces. Without constraints: only their number matters here. */
beforeAll(async () => {
  store = await createTestDatabase();
  await store.database.acrossWorkspaces.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    for (const id of [workspaceId, other]) {
      const age = sql`${now.toISOString()}::timestamptz - make_interval(secs => n * 600)`;
      await tx.execute(sql`insert into conversations (id, workspace_id, bot_id, channel, external_user_id, title, last_sequence, created_at, updated_at)
        select gen_random_uuid(), ${id}::uuid, ${id}::uuid, 'chat', 'user ' || n, 'x', 10, ${age}, ${age} from generate_series(1, 5000) n`);
      await tx.execute(sql`insert into events (conversation_id, sequence, workspace_id, turn_id, type, data, created_at)
        select c.id, n, c.workspace_id, c.id, 'turn.completed', '{}', c.created_at from conversations c, generate_series(1, 10) n where c.workspace_id = ${id}`);
      await tx.execute(sql`insert into trace_steps (id, workspace_id, conversation_id, turn_id, sequence, type, name, status, started_at, duration_ms)
        select gen_random_uuid(), c.workspace_id, c.id, c.id, n, 'model', 'x', 'ok', c.created_at, 1 from conversations c, generate_series(1, 5) n where c.workspace_id = ${id}`);
      await tx.execute(sql`insert into call_recordings (call_id, workspace_id, bot_id, sample_rate, created_at)
        select gen_random_uuid(), ${id}::uuid, ${id}::uuid, 8000, ${age} from generate_series(1, 5000) n`);
      await tx.execute(sql`insert into audit_entries (id, workspace_id, created_at, actor_type, action, object_type)
        select gen_random_uuid(), ${id}::uuid, ${age}, 'service', 'job.retried', 'job' from generate_series(1, 5000) n`);
    }
  });
  await run(sql`analyze`);
});
afterAll(() => store.drop());

const indexes: Record<RetentionKind, string> = {
  traces: 'trace_steps_age',
  events: 'events_age',
  recordings: 'call_recordings_age',
  audit: 'audit_entries_workspace_age',
  conversations: 'conversations_age',
};

it.each(retentionKinds)(
  'batches and previews of %s read as many rows as they look at, by an index',
  async (kind) => {
    const rule = { kind, days: 10, shortestDays: 10, now: clock.now() };
    const cursor = [
      now.toISOString().replace('2031', '2030'),
      randomUUID(),
      ...(kind === 'events' ? ['1'] : []),
    ];
    const statements = [
      oldestRows(workspaceId, rule, null, 100),
      oldestRows(workspaceId, rule, cursor, 100),
      oldestOf(workspaceId, kind),
      oldestOf(workspaceId, kind, new Date(secondsBefore(20 * day))),
    ];
    for (const statement of statements) {
      const { rows } = await store.database
        .within(workspaceId)
        .execute<{ 'QUERY PLAN': string }>(sql`explain (analyze, timing off, summary off) ${statement}`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toContain(indexes[kind]);
      expect(plan).not.toMatch(
        /Seq Scan on (events|trace_steps|call_recordings|audit_entries|conversations)/,
      );
      // Of what has the same age as the last one, a few more.
      const read = new RegExp(`${indexes[kind]}.*\\(actual rows=(\\d+)`).exec(plan)?.[1];
      expect(Number(read)).toBeLessThanOrEqual(120);
    }
  },
);
