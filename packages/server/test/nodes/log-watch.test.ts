import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { createBus } from '../../src/bus/create-bus.ts';
import { sql } from '../../src/database/drizzle.ts';
import { createConversationFeed } from '../../src/events/conversation-feed.ts';
import { startLogWatch } from '../../src/events/log-watch.ts';
import { transactionsNaming } from '../chat/watch-transactions.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import { holdingOf } from '../support/event-loop.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

let store: TestDatabase;
let model: ScriptedModel;
let nodes: TestNode[];
beforeEach(async () => {
  store = await createTestDatabase();
  model = await startScriptedModel();
  nodes = [];
});
afterEach(async () => {
  for (const node of nodes) await node.stop(0);
  await model.close();
  await store.drop();
});

async function start(): Promise<TestNode> {
  const node = await startNode({ database: store.database, environment: scriptedEnvironment(model) });
  nodes.push(node);
  return node;
}

it('a single node never polls, and stops polling when the other node is gone', async () => {
  const chat = chatWith(() => node);
  const node = await start();
  const { conversationId, last } = await chat.say({ bot_id: await chat.bot() });
  const reader = await chat.listen(conversationId, { after: 0 });
  onTestFinished(() => reader.close());
  await reader.until(last.event);
  const polls = () =>
    transactionsNaming(async () => {
      await sleep(1_500);
      return [conversationId];
    });
  expect(await polls()).toEqual([]);

  const other = await start();
  await eventually(polls).toEqual(
    expect.arrayContaining([[expect.stringMatching(/last_sequence > followed.position/)]]),
  );
  await other.stop(0);
  await eventually(polls).toEqual([]);
});

it('checks ten thousand followed conversations without holding up the process', async () => {
  const { database } = store;
  const count = 10_000;
  const { rows } = await database.acrossWorkspaces.execute<{ id: string }>(
    sql`with workspace as (insert into workspaces (id, name) values (gen_random_uuid(), 'x') returning id),
      bot as (insert into bots (id, workspace_id, name, system_prompt) select gen_random_uuid(), id, 'x', 'x' from workspace
        returning id, workspace_id)
      insert into conversations (id, workspace_id, bot_id, channel, title, last_sequence)
      select gen_random_uuid(), workspace_id, bot.id, 'chat', 'x', 7 from bot, generate_series(1, ${count}) returning id`,
  );
  const log = pino({ level: 'silent' });
  const feed = createConversationFeed(createBus({ log }));
  const caughtUp: [id: string, lastSequence: number][] = [];
  for (const [index, { id }] of rows.entries()) {
    let position = index % 1_000 === 500 ? 6 : 7;
    feed.subscribe(id, {
      onEvents: () => undefined,
      async catchUp(lastSequence) {
        position = lastSequence;
        caughtUp.push([id, lastSequence]);
      },
      position: () => position,
      onDeleted: () => undefined,
    });
  }
  const presence = { isApart: () => true, onChange: () => () => undefined };
  const watch = startLogWatch({ database, feed, presence, log });
  onTestFinished(() => watch.stop());
  let { heldMs } = await holdingOf(() => eventually(() => caughtUp.length).toBe(10));
  const behind = rows.filter((_, index) => index % 1_000 === 500).map(({ id }) => id);
  expect(caughtUp).toEqual(behind.map((id) => [id, 7]));
  // There is a look every second. Garbage may be collected during one of them, but not during each.
  for (let look = 0; look < 5 && heldMs >= 30; look += 1)
    heldMs = Math.min(heldMs, (await holdingOf(() => sleep(1_200))).heldMs);
  expect(heldMs).toBeLessThan(30);
  const looks = await transactionsNaming(async () => {
    await sleep(2_000);
    return behind;
  });
  // One look a second, with a thousand conversations in each statement.
  expect(looks.length).toBeGreaterThanOrEqual(10);
  expect(looks.length).toBeLessThanOrEqual(30);
  expect(caughtUp).toHaveLength(10);
});
