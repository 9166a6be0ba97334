import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { chatWith, eventually, namesOf, scriptedEnvironment } from '../support/chat.ts';
import { type HandPlayedModel, startHandPlayedModel } from '../support/hand-played-model.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

let played: HandPlayedModel;
let store: TestDatabase;
let owner: TestNode;
let other: TestNode;
const nodes = new Set<TestNode>();
beforeAll(async () => {
  [played, store] = await Promise.all([startHandPlayedModel(), createTestDatabase()]);
});
afterEach(async () => {
  await Promise.all([...nodes].map((node) => node.stop(0)));
  nodes.clear();
});
afterAll(async () => {
  await played.close();
  await store.drop();
});

async function start(): Promise<TestNode> {
  const node = await startNode({ database: store.database, environment: scriptedEnvironment(played) });
  nodes.add(node);
  return node;
}

/** A turn that the first of two nodes runs. */
async function beginTurn(): Promise<string> {
  [owner, other] = [await start(), await start()];
  const chat = chatWith(() => owner);
  const sent = await chat.send({ bot_id: await chat.bot() });
  await played.next();
  return (await sent.until('turn.started')).data.conversation_id;
}

const stopOn = (node: TestNode, conversationId: string) =>
  node.call('POST /api/v1/chat/stop', { body: { conversation_id: conversationId } });
const eventsOf = async (conversationId: string) => namesOf(await chatWith(() => other).log(conversationId));
const stopped = { status: 200, body: { stopped: true } };

it('a turn that is handed over while it is being stopped ends once', async () => {
  const conversationId = await beginTurn();
  nodes.delete(owner);
  const [answer] = await Promise.all([stopOn(other, conversationId), owner.stop(0)]);
  expect(answer).toMatchObject(stopped);
  expect(await eventsOf(conversationId)).toEqual(['turn.started', 'turn.interrupted']);
});

it('a turn that was handed over with a request to stop it is not continued', async () => {
  const conversationId = await beginTurn();
  const mark = sql`update turns set node_id = null, stop_requested_at = now(), stop_requested_by = 'api'`;
  await store.database.acrossWorkspaces.execute(sql`${mark} where conversation_id = ${conversationId}`);
  await eventually(() => eventsOf(conversationId)).toEqual(['turn.started', 'turn.interrupted']);
});

it('a turn that pauses while it is being stopped ends too, however many nodes are asked', async () => {
  const conversationId = await beginTurn();
  // A node that is alive and does nothing has the turn.
  const idle = randomUUID();
  await store.database.acrossWorkspaces.execute(sql`insert into nodes (id) values (${idle})`);
  await store.database.acrossWorkspaces.execute(
    sql`update turns set node_id = ${idle}, fence = fence + 1 where conversation_id = ${conversationId}`,
  );
  const stopping = [owner, other, other].map((node) => stopOn(node, conversationId));
  const isMarked = async () =>
    (
      await store.database.acrossWorkspaces.execute(
        sql`update turns set status = 'paused' where conversation_id = ${conversationId} and stop_requested_at is not null returning 1`,
      )
    ).rows.length;
  await eventually(isMarked).toBe(1);
  for (const answer of await Promise.all(stopping)) expect(answer).toMatchObject(stopped);
  expect(await eventsOf(conversationId)).toEqual(['turn.started', 'turn.interrupted']);
});
