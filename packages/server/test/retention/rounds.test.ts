import { retentionKinds } from '@svc/contract/retention';
import { expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/drizzle.ts';
import { newId } from '../../src/lib/new-id.ts';
import { deleteExpired, retentionOn } from './delete-expired.ts';
import { clock, day, now, secondsBefore, useRetention } from './use-retention.ts';

const { age, call, count, keep, lastRound, place, run, say, service, statusOf } = useRetention();
const old = secondsBefore(500 * day);

/** More of everything than one batch takes: conversations with steps of traces and events of their own. */
async function fill(conversations: number, each: number): Promise<void> {
  const [at, { botId, workspaceId }] = [sql`${old}::timestamptz`, place];
  for (let index = 0; index < conversations; index += 1) {
    const [id, turnId] = [newId(), newId()];
    await run(sql`insert into conversations (id, workspace_id, bot_id, channel, external_user_id, title, last_sequence, created_at, updated_at)
      values (${id}, ${workspaceId}, ${botId}, 'chat', 'ada', 'x', ${each}, ${at}, ${at})`);
    await run(sql`insert into turns (id, workspace_id, conversation_id, bot_id, status, ended_at)
      values (${turnId}, ${workspaceId}, ${id}, ${botId}, 'completed', ${at})`);
    await run(sql`insert into events (conversation_id, sequence, workspace_id, turn_id, type, data, created_at)
      select ${id}::uuid, n, ${workspaceId}::uuid, ${turnId}::uuid, 'turn.completed', '{}', ${at} from generate_series(1, ${each}::int) n`);
    await run(sql`insert into trace_steps (id, workspace_id, conversation_id, turn_id, sequence, type, name, status, started_at, duration_ms)
      select gen_random_uuid(), ${workspaceId}::uuid, ${id}::uuid, ${turnId}::uuid, n, 'model', 'x', 'ok', ${at}, 1 from generate_series(1, ${each}::int) n`);
  }
}

async function preview(proposal: object = {}): Promise<Record<string, number>> {
  const { kinds } = await retentionOn(service().database, clock).preview(place.workspaceId, proposal);
  return Object.fromEntries(kinds.map(({ kind, deleted }) => [kind, deleted]));
}

/** The database, telling of each transaction in a workspace. */
function afterEachBatch(tell: (workspaceId: string) => unknown): Database {
  return {
    ...service().database,
    within(workspaceId) {
      const statements = service().database.within(workspaceId);
      return Object.assign(Object.create(statements), {
        async transaction(work: Parameters<typeof statements.transaction>[0]) {
          const result = await statements.transaction(work);
          tell(workspaceId);
          return result;
        },
      });
    },
  };
}

const everything = { conversations_days: 30, traces_days: 30, events_days: 30, audit_days: 30 };
const makeDue = () => run(sql`update retention_settings set due_at = ${now.toISOString()}::timestamptz`);

it('a preview counts exactly what the next round deletes, in many batches', async () => {
  await fill(60, 40);
  await say('bob');
  const untouched = await call('POST /api/v1/retention/preview', everything);
  expect(untouched.kinds.map(({ kind }: { kind: string }) => kind)).toEqual([...retentionKinds]);
  const proposed = await preview(everything);
  expect(proposed).toMatchObject({ traces: await count('trace_steps'), recordings: 0 });
  await keep(everything);
  const expected = await preview();
  expect(expected).toMatchObject({ conversations: 61, events: expect.any(Number) });
  await deleteExpired(service(), clock);
  expect(await lastRound()).toEqual(expected);
  // The entry about the deletion has the time of the database.
  expect(await preview()).toEqual({
    ...Object.fromEntries(retentionKinds.map((kind) => [kind, 0])),
    audit: 1,
  });
});

it('a preview says when the oldest began that stays, and when it has not counted all', async () => {
  const [id, second] = [await say(), await say()];
  await age(id, old);
  await age(second, secondsBefore(20 * day));
  const of = async (proposal: object) =>
    (await retentionOn(service().database, clock).preview(place.workspaceId, proposal)).kinds.find(
      ({ kind }) => kind === 'conversations',
    );
  expect(await of({})).toMatchObject({ days: null, deleted: 0, oldest_kept: old });
  expect(await of({ conversations_days: 30 })).toMatchObject({
    days: 30,
    deleted: 1,
    is_at_least: false,
    oldest_kept: secondsBefore(20 * day),
  });
  expect(await of({ conversations_days: 10 })).toMatchObject({ deleted: 2, oldest_kept: null });
  await fill(1, 10_100);
  const { kinds } = await retentionOn(service().database, clock).preview(place.workspaceId, {
    traces_days: 1,
  });
  expect(kinds[0]).toMatchObject({ kind: 'traces', deleted: 10_000, is_at_least: true, oldest_kept: null });
});

it('obeys each workspace, and touches no other', async () => {
  const id = await say();
  await age(id, old);
  const mine = { ...place };
  await keep({ conversations_days: 30 });
  const foreign = await service().makeWorkspace();
  const body = { name: 'Bot', system_prompt: 'x' };
  Object.assign(place, { key: foreign.key, workspaceId: foreign.id });
  place.botId = (await call('POST /api/v1/bots', body)).id;
  const theirs = await say();
  await age(theirs, old);
  await keep({ conversations_days: 3_000 });
  await deleteExpired(service(), clock);
  expect(await statusOf(theirs)).toBe(200);
  expect((await call('GET /api/v1/retention')).last_round.deleted.conversations).toBe(0);
  Object.assign(place, mine);
  expect(await statusOf(id)).toBe(404);
});

it('two nodes share the work, and count it once', async () => {
  await fill(70, 30);
  await keep(everything);
  const expected = await preview();
  await makeDue();
  const nodes = [retentionOn(service().database, clock), retentionOn(service().database, clock)];
  await Promise.all(nodes.map((node) => node.round()));
  // Either node may have found the workspace taken and ended its round.
  await nodes[0]?.round();
  expect(await lastRound()).toEqual(expected);
  const entries = await call('GET /api/v1/audit?action=retention.deleted');
  expect(entries).toHaveLength(1);
  const counts = entries[0].changes.map(({ field, after }: { field: string; after: number }) => [
    field,
    after,
  ]);
  expect(Object.fromEntries(counts)).toEqual(
    Object.fromEntries(Object.entries(expected).filter(([, deleted]) => deleted > 0)),
  );
});

it('a batch that is cut off has deleted nothing, and the next node continues after the one before', async () => {
  await fill(60, 30);
  await keep(everything);
  const expected = await preview();
  await makeDue();
  let batches = 0;
  /** Loses its connection before the third batch can commit. */
  const failing: Database = {
    ...service().database,
    within(workspaceId) {
      const statements = service().database.within(workspaceId);
      return Object.assign(Object.create(statements), {
        transaction: (work: Parameters<typeof statements.transaction>[0]) =>
          statements.transaction(async (tx) => {
            const result = await work(tx);
            batches += workspaceId === place.workspaceId ? 1 : 0;
            if (batches === 3) await tx.execute(sql`select pg_terminate_backend(pg_backend_pid())`);
            return result;
          }),
      });
    },
  };
  const before = (await count('events')) + (await count('trace_steps'));
  await retentionOn(failing, clock).round();
  expect(batches).toBe(3);
  const { rows } = await run(
    sql`select round from retention_settings where workspace_id = ${place.workspaceId}`,
  );
  const [
    {
      round: { deleted },
    },
  ] = rows as [{ round: { deleted: Record<string, number> } }];
  expect(deleted['traces']).toBeGreaterThan(0);
  // What the round says is what is gone.
  const left = (await count('events')) + (await count('trace_steps'));
  expect(before - left).toBe((deleted['traces'] ?? 0) + (deleted['events'] ?? 0));
  await deleteExpired(service(), clock);
  expect(await lastRound()).toEqual(expected);
});

it('settings that change during a round count for the rest of it', async () => {
  await fill(60, 30);
  await keep(everything);
  await makeDue();
  const stopping = retentionOn(
    afterEachBatch((workspaceId) => workspaceId === place.workspaceId && stopping.stop()),
    clock,
  );
  await stopping.round();
  await keep({});
  const events = await count('events');
  await deleteExpired(service(), clock);
  expect(await count('events')).toBe(events);
  expect(await lastRound()).toEqual({ traces: 500, events: 0, recordings: 0, audit: 0, conversations: 0 });
});

it('workspaces take turns: a small one does not wait for a large one', async () => {
  await fill(60, 30);
  await keep(everything);
  const large = { ...place };
  const foreign = await service().makeWorkspace();
  Object.assign(place, { key: foreign.key, workspaceId: foreign.id });
  place.botId = (await call('POST /api/v1/bots', { name: 'Bot', system_prompt: 'x' })).id;
  const id = await say();
  await age(id, old);
  await keep({ conversations_days: 30 });
  await makeDue();
  const ended: string[] = [];
  await retentionOn(
    afterEachBatch((workspaceId) => ended.push(workspaceId)),
    clock,
  ).round();
  expect(ended.indexOf(foreign.id)).toBeLessThan(ended.lastIndexOf(large.workspaceId));
  expect(ended.lastIndexOf(foreign.id)).toBeLessThan(ended.lastIndexOf(large.workspaceId));
  expect(await statusOf(id)).toBe(404);
});
