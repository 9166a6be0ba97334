import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Transaction } from '../../src/database/database.ts';
import { sql } from '../../src/database/drizzle.ts';
import { text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import { fewer } from '../support/sample.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

let scripted: ScriptedModel;
let store: TestDatabase;
let a: TestNode;
let b: TestNode;
let botId: string;
const chatOn = (node: () => TestNode) => chatWith(node);
const onA = chatOn(() => a);
const onB = chatOn(() => b);
beforeAll(async () => {
  [scripted, store] = await Promise.all([startScriptedModel(), createTestDatabase()]);
  a = await start();
  b = await start();
  botId = await onA.bot();
  const assignments = [{ tool_type: 'handoff' }];
  await a.call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments } });
});
beforeEach(() => scripted.reset());
afterAll(async () => {
  await Promise.all([a.stop(0), b.stop(0)]);
  await Promise.all([scripted.close(), store.drop()]);
});

const start = () => startNode({ database: store.database, environment: scriptedEnvironment(scripted) });

async function answered() {
  scripted.enqueue([text('Hello.')]);
  const user = { bot_id: botId, external_user_id: randomUUID() };
  return { user, id: (await onA.say(user)).conversationId };
}

/** What the tool hand-off writes. */
async function flag(tx: Transaction, id: string): Promise<void> {
  const events = [{ type: 'conversation.needs_human', data: { needs_human: null } }];
  await tx.execute(sql`select append_events(${id}, null, ${JSON.stringify(events)}, null, 0)`);
  await tx.execute(
    sql`update conversations set handoff_requested_at = now(), handoff_reason = 'x' where id = ${id}`,
  );
}

it('a flag that is being set when the message arrives decides, however the two overlap', async () => {
  const { user, id } = await answered();
  scripted.respondWith([text('Yes.')]);
  const seen = { bot: 0, person: 0 };
  const rounds = fewer(200);
  for (let round = 0; round < rounds; round++) {
    const node = round % 2 ? onA : onB;
    const [turn] = await Promise.all([
      node.say(user),
      store.database.acrossWorkspaces.transaction((tx) => flag(tx, id)),
    ]);
    const log = await node.log(id, (turn.events[0]?.id ?? 0) - 3);
    const flagged = log.findLast(({ event }) => event === 'conversation.needs_human')?.id ?? 0;
    const started = turn.events[0]?.id ?? 0;
    const isHandedOff = flagged < started;
    expect(turn.last.data).toMatchObject({ handed_off: isHandedOff });
    seen[isHandedOff ? 'person' : 'bot'] += 1;
    await store.database.acrossWorkspaces.execute(
      sql`update conversations set handoff_requested_at = null where id = ${id}`,
    );
  }
  expect(scripted.requests).toHaveLength(seen.bot + 1);
  expect(seen.bot + seen.person).toBe(rounds);
});

it('a take-over decides, however it and the message overlap: after it nothing of the bot is kept', async () => {
  const { user, id } = await answered();
  scripted.respondWith([text('Yes.')]);
  const seen = { bot: 0, person: 0 };
  const rounds = fewer(100);
  for (let round = 0; round < rounds; round++) {
    const [talker, node] = round % 2 ? [onA, b] : [onB, a];
    const path = `PATCH /api/v1/conversations/${id}`;
    const [turn, taken] = await Promise.all([
      talker.say(user),
      node.call(path, { body: { needs_human: { reason: '' } } }),
    ]);
    expect(taken.status).toBe(200);
    const log = await talker.log(id, (turn.events[0]?.id ?? 0) - 4);
    const takenAt = log.findLast(({ event }) => event === 'conversation.needs_human')?.id ?? 0;
    const started = turn.events[0]?.id ?? 0;
    const isHandedOff = takenAt < started;
    if (isHandedOff) expect(turn.last.data).toMatchObject({ handed_off: true });
    // It had ended, or it was stopped.
    else expect(['turn.completed', 'turn.interrupted']).toContain(turn.last.event);
    seen[isHandedOff ? 'person' : 'bot'] += 1;
    expect((await node.call(`GET /api/v1/conversations/${id}`)).body.status).toBe('idle');
    await node.call(path, { body: { needs_human: null } });
  }
  expect(seen.bot + seen.person).toBe(rounds);
});

it('a message that waits for the flag to be written is handed off', async () => {
  const { user, id } = await answered();
  const isWaiting = async () =>
    (
      await store.database.acrossWorkspaces.execute(sql`select from pg_stat_activity
      where wait_event_type = 'Lock' and query like '%complete_if_handed_off%' and datname = current_database()`)
    ).rows.length;
  let turn: ReturnType<typeof onA.say> | undefined;
  await store.database.acrossWorkspaces.transaction(async (tx) => {
    await flag(tx, id);
    turn = onA.say(user);
    await eventually(isWaiting).toBe(1);
  });
  expect((await turn)?.last.data).toMatchObject({ handed_off: true });
  expect(scripted.requests).toHaveLength(1);
});

it('a flag that was set on one node is respected by the others and after a restart', async () => {
  const { user, id } = await answered();
  scripted.enqueue([toolCall('handoff', { reason: 'x' })], [text('Somebody comes.')]);
  await onA.say(user);
  scripted.reset();
  const reader = await onA.listen(id);
  const elsewhere = await onB.say({ ...user, message: 'Hello?' });
  expect(elsewhere.last.data).toMatchObject({ handed_off: true });
  await reader.until('turn.completed');
  reader.close();
  await a.stop(0);
  a = await start();
  expect((await onA.say(user)).last.data).toMatchObject({ handed_off: true });
  // Neither the restart nor the sweep takes such a turn up.
  await b.stop(0);
  b = await start();
  expect((await b.call(`GET /api/v1/conversations/${id}`)).body).toMatchObject({ status: 'idle' });
  expect(scripted.requests).toEqual([]);
});
