import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { hang, text, toolCall } from '../scripted-model/script.ts';
import { startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, durable, idsOf, namesOf, previewOf, scriptedEnvironment, upTo } from '../support/chat.ts';
import { type HandPlayedModel, startHandPlayedModel } from '../support/hand-played-model.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

// Every test starts nodes of its own.

let played: HandPlayedModel;
let store: TestDatabase;
let node: TestNode;
const nodes = new Set<TestNode>();
const chat = chatWith(() => node);
beforeAll(async () => {
  played = await startHandPlayedModel();
  store = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all([...nodes].map((one) => stop(one)));
});
afterAll(async () => {
  await played.close();
  await store.drop();
});

async function start(model: { url(provider: 'openai'): string } = played): Promise<TestNode> {
  const one = await startNode({ database: store.database, environment: scriptedEnvironment(model) });
  nodes.add(one);
  return one;
}
async function stop(one: TestNode, graceMs?: number): Promise<void> {
  nodes.delete(one);
  await one.stop(graceMs);
}

async function finishedTurn() {
  const user = { bot_id: await chat.bot(), external_user_id: randomUUID() };
  const sent = await chat.send(user);
  const model = await played.next();
  model.write('First.');
  model.finish();
  const { events } = await sent.ended();
  return { user, events, id: events[0]?.data.conversation_id as string };
}

it('a reader continues after a restart without a gap or duplicate', async () => {
  node = await start();
  const { user, events, id } = await finishedTurn();
  const reader = await chat.listen(id, { after: 0 });
  await reader.until(({ id: number }) => number === 3);
  await stop(node);
  expect(await reader.ended()).toMatchObject({ complete: true });

  node = await start();
  for (const lastEventId of [0, 1, 2, 3]) {
    const resumed = await chat.listen(id, { lastEventId });
    if (lastEventId < 3) await resumed.until(({ id: number }) => number === 3);
    expect(resumed.events).toEqual(durable(events).slice(lastEventId));
    resumed.close();
  }
  const resumed = await chat.listen(id, { lastEventId: 3 });
  const sent = await chat.send(user);
  (await played.next()).finish();
  await sent.ended();
  await resumed.until(({ id: number }) => number === 6);
  expect(idsOf(resumed.events)).toEqual([4, 5, 6]);
  resumed.close();
});

it('a turn that a stopping node hands over is finished by the next', async () => {
  node = await start();
  const { user, id } = await finishedTurn();
  const sent = await chat.send(user);
  const lost = await played.next();
  lost.write('Half a');
  await sent.until('message.delta');
  await stop(node, 10);
  // It is reported neither as failed nor as completed, because it is not over.
  expect(namesOf(durable((await sent.ended()).events))).toEqual(['turn.started']);
  await lost.abandoned;

  node = await start();
  const model = await played.next();
  const reader = await chat.listen(id, { lastEventId: 4 });
  const half = sent.events.find(({ event }) => event === 'message.delta');
  const retracted = await reader.until('stream.snapshot');
  expect(retracted.data).toEqual({ message_id: half?.data.message_id, text: '' });
  model.write('A whole one.');
  model.finish();
  const completed = await reader.until('message.completed');
  await reader.until('turn.completed');
  expect(completed).toMatchObject({ id: 5, data: { message: { content: 'A whole one.' } } });
  expect(completed.data.message.id).not.toBe(half?.data.message_id);
  const onScreen = previewOf([...sent.events, ...reader.events]);
  // A reader that is not live yet gets the whole reply from the log instead of a preview.
  for (const shown of [...onScreen].filter(([, said]) => said !== '')) {
    expect(shown).toEqual([completed.data.message.id, 'A whole one.']);
  }
  expect(idsOf([...sent.events, ...reader.events])).toEqual([4, 5, 6]);
  reader.close();
});

it('a turn that is pinned to its node ends with it', async () => {
  node = await start();
  const { user, id } = await finishedTurn();
  await chat.send(user);
  await played.next();
  await stop(node, 10);
  await store.database.acrossWorkspaces.execute(
    sql`update conversations set channel = 'voice' where id = ${id}`,
  );

  node = await start();
  expect((await chat.log(id)).at(-1)).toMatchObject({
    event: 'turn.failed',
    data: { error: { code: 'INTERNAL' } },
  });
});

it('a stopping node waits for a turn that ends in time', async () => {
  node = await start();
  const { user, id } = await finishedTurn();
  const sent = await chat.send(user);
  const model = await played.next();
  const stopping = stop(node, 5_000);
  model.write('Just in time.');
  model.finish();
  expect((await sent.ended()).events.at(-1)?.event).toBe('turn.completed');
  await stopping;
  node = await start();
  expect(idsOf(await chat.log(id))).toEqual(upTo(6));
});

it('a repeat with the same Idempotency-Key attaches after a restart', async () => {
  node = await start();
  const body = { bot_id: await chat.bot(), message: 'Once.', external_user_id: randomUUID() };
  const headers = { 'idempotency-key': randomUUID() };
  const sent = await chat.send(body, { headers });
  (await played.next()).finish();
  const { events } = await sent.ended();
  await stop(node);
  node = await start();
  expect((await chat.say(body, { headers })).events).toEqual(durable(events));
});

it('a stop on one node reaches a turn on another', async () => {
  node = await start();
  const { user, id } = await finishedTurn();
  const sent = await chat.send(user);
  const model = await played.next();
  model.write('I was say');
  await sent.until('message.delta');
  const other = await start();
  const answer = await other.call('POST /api/v1/chat/stop', { body: { conversation_id: id } });
  expect(answer).toMatchObject({ status: 200, body: { stopped: true } });
  await model.abandoned;
  const { events } = await sent.ended();
  expect(events.at(-1)).toMatchObject({ event: 'turn.interrupted', data: { by: 'api' } });
  // Only its owner can notify readers directly, but every node can read the log.
  const { body } = await other.call(`GET /api/v1/conversations/${id}`);
  expect(body.messages.at(-1)).toMatchObject({ content: 'I was say', interrupted: true });
});

it('a resumed turn has only the steps that were left', async () => {
  const scripted = await startScriptedModel();
  const sum = toolCall('calculator', { expression: '1 + 1' });
  scripted.enqueue([sum], [hang]);
  scripted.respondWith(({ body }) => (body['tools'] ? [sum] : [text('It is 2.')]));
  node = await start(scripted);
  const botId = await chat.bot({ max_steps: 3 });
  const assign = { bot_id: botId, assignments: [{ tool_type: 'calculator' }] };
  await node.call('POST /api/v1/tools/assign', { body: assign });
  const sent = await chat.send({ bot_id: botId });
  await expect.poll(() => scripted.requests.length).toBe(2);
  await stop(node, 10);
  const { events } = await sent.ended();

  node = await start(scripted);
  const reader = await chat.listen(events[0]?.data.conversation_id, { lastEventId: 4 });
  await reader.until('turn.completed');
  reader.close();
  // One reply was written, one was lost, and two were left.
  expect(scripted.requests.map(({ body }) => body['tools'] !== undefined)).toEqual([true, true, true, false]);
  await stop(node);
  await scripted.close();
});

it('a reader is notified immediately of what a person does on another node', async () => {
  node = await start();
  const { id } = await finishedTurn();
  const reader = await chat.listen(id);
  const other = await start();
  const act = async (operation: string, body: object) =>
    expect((await other.call(operation.replace('ID', id), { body })).status).toBeLessThan(300);
  for (const content of ['Ann here.', 'Still here.']) {
    await act('POST /api/v1/conversations/ID/messages', { content });
    await reader.until(({ event, data }) => event === 'message.operator' && data.message.content === content);
  }
  // On the same node, readers are notified once.
  const near = await chatWith(() => other).listen(id, { after: 5 });
  await act('POST /api/v1/conversations/ID/messages', { content: 'Bye.' });
  for (const one of [near, reader]) await one.until(({ id: number }) => number === 6);
  reader.close();
  near.close();
  expect(idsOf(reader.events)).toEqual([4, 5, 6]);
  expect(idsOf(near.events)).toEqual([6]);
});
