import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chatWith, durable, idsOf, namesOf, previewOf, scriptedEnvironment, upTo } from '../support/chat.ts';
import {
  type HandPlayedModel,
  type PlayedReply,
  startHandPlayedModel,
} from '../support/hand-played-model.ts';
import type { SseEvent, SseReader } from '../support/sse-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let played: HandPlayedModel;
let service: TestApp;
let botId: string;
const chat = chatWith(() => service);
beforeAll(async () => {
  played = await startHandPlayedModel();
  service = await startTestApp({ environment: scriptedEnvironment(played) });
  botId = await chat.bot();
});
afterAll(async () => {
  await service.stop();
  await played.close();
});

/** A conversation of this many turns, with three events each. */
async function conversation(turns: number): Promise<{ conversation_id: string; external_user_id: string }> {
  const user = { external_user_id: randomUUID(), bot_id: botId };
  let conversationId = '';
  for (let turn = 0; turn < turns; turn += 1) {
    const sent = await chat.send(user);
    const model = await played.next();
    model.write(`Reply ${turn}`);
    model.finish();
    conversationId = (await sent.ended()).events[0]?.data.conversation_id;
  }
  return { conversation_id: conversationId, external_user_id: user.external_user_id };
}

/** A turn whose readers have received exactly this text so far. */
async function turnSaying(words: string, where: { conversation_id: string; external_user_id: string }) {
  const sent = await chat.send(where);
  const model = await played.next();
  model.write(words);
  await said(sent, words);
  return { sent, model };
}

const said = (reader: SseReader, words: string): Promise<SseEvent> =>
  reader.until(() => [...previewOf(reader.events).values()].at(-1) === words);

async function finishTurn(model: PlayedReply, ...readers: SseReader[]): Promise<void> {
  model.finish();
  await Promise.all(
    readers.map((reader) => reader.until(({ event, id }) => event === 'turn.completed' && id === 6)),
  );
}

it('sends what came after any id, by header and by query, and then what happens', async () => {
  const where = await conversation(1);
  const points = [0, 1, 2, 3];
  const before = await Promise.all([
    ...points.map((lastEventId) => chat.listen(where.conversation_id, { lastEventId })),
    ...points.map((after) => chat.listen(where.conversation_id, { after })),
    chat.listen(where.conversation_id, { lastEventId: 3, after: 0 }),
    chat.listen(where.conversation_id, { lastEventId: '' }),
    chat.listen(where.conversation_id),
  ]);
  const { sent, model } = await turnSaying('Half', where);
  const during = await Promise.all(
    [0, 1, 2, 3, 4].map((lastEventId) => chat.listen(where.conversation_id, { lastEventId })),
  );
  for (const reader of during) await said(reader, 'Half');
  model.write(' and whole');
  await finishTurn(model, sent, ...before, ...during);
  const after = await Promise.all(
    upTo(5).map((lastEventId) => chat.listen(where.conversation_id, { lastEventId })),
  );
  await Promise.all(after.map((reader) => reader.until(({ id }) => id === 6)));

  const log = (await chat.log(where.conversation_id)).map(({ created_at: _when, ...event }) => event);
  expect(idsOf(log)).toEqual(upTo(6));
  const starts = [...points, ...points, 3, 3, 3, 0, 1, 2, 3, 4, 1, 2, 3, 4, 5];
  for (const [index, reader] of [...before, ...during, ...after].entries()) {
    expect(durable(reader.events)).toEqual(log.slice(starts[index]));
    if (index < 16) expect([...previewOf(reader.events).values()].at(-1)).toBe('Half and whole');
    reader.close();
  }
});

it('without an id starts at the first event of the unfinished turn', async () => {
  const where = await conversation(1);
  const { sent, model } = await turnSaying('Once upon', where);
  const reader = await chat.listen(where.conversation_id);
  await said(reader, 'Once upon');
  expect(reader.events).toEqual([
    sent.events[0],
    { event: 'stream.snapshot', data: { message_id: expect.any(String), text: 'Once upon' } },
  ]);
  model.write(' a', ' time');
  await said(reader, 'Once upon a time');
  await finishTurn(model, sent, reader);
  const { data } = await reader.until('message.completed');
  expect(previewOf(reader.events)).toEqual(new Map([[data.message.id, 'Once upon a time']]));
  expect(data.message.content).toBe('Once upon a time');
  reader.close();
});

it('two readers each see everything, and one that disconnects stops nothing', async () => {
  const where = await conversation(1);
  const { sent, model } = await turnSaying('A', where);
  const readers = await Promise.all([1, 2, 3].map(() => chat.listen(where.conversation_id, { after: 0 })));
  const [left, right, leaver] = readers as [SseReader, SseReader, SseReader];
  await Promise.all(readers.map((reader) => said(reader, 'A')));
  sent.close();
  leaver.close();
  model.write('BC');
  await finishTurn(model, left, right);
  expect(durable(left.events)).toEqual(durable(right.events));
  expect([...previewOf(left.events).values()]).toEqual([...previewOf(right.events).values()]);
  const { body } = await service.call(`GET /api/v1/conversations/${where.conversation_id}`);
  expect(body.messages.at(-1)).toMatchObject({ content: 'ABC', interrupted: false });
  left.close();
  right.close();
});

it('tokens that arrive together are sent together, a single one by itself', async () => {
  const sent = await chat.send({ bot_id: botId });
  const model = await played.next();
  model.write('One');
  await said(sent, 'One');
  // One chunk per token, as a model sends them, all waiting when the service reads.
  for (const token of [' two', ' three', ' 🙂', ' five']) model.write(token);
  await said(sent, 'One two three 🙂 five');
  model.finish();
  const { events } = await sent.ended();
  const deltas = events.filter(({ event }) => event === 'message.delta');
  expect(deltas.map(({ data }) => [data.offset, data.text])).toEqual([
    [0, 'One'],
    [3, ' two three 🙂 five'],
  ]);
});

it('a message without text yet has no snapshot', async () => {
  const where = await conversation(1);
  const sent = await chat.send(where);
  const model = await played.next();
  const reader = await chat.listen(where.conversation_id);
  await reader.until('turn.started');
  model.write('Now.');
  await said(reader, 'Now.');
  await finishTurn(model, sent, reader);
  expect(namesOf(reader.events)).not.toContain('stream.snapshot');
  reader.close();
});

it('stays open over several turns and includes the caller’s own sends', async () => {
  const where = await conversation(1);
  const reader = await chat.listen(where.conversation_id);
  for (let turn = 0; turn < 5; turn += 1) {
    const sent = await chat.send(where);
    (await played.next()).finish();
    await sent.ended();
  }
  await reader.until(({ id }) => id === 18);
  expect(idsOf(reader.events)).toEqual(upTo(18).slice(3));
  reader.close();
});

it('an unknown id does not hide later events', async () => {
  const where = await conversation(1);
  const reader = await chat.listen(where.conversation_id, { lastEventId: 1_000_000 });
  const sent = await chat.send(where);
  (await played.next()).finish();
  await sent.ended();
  await reader.until('turn.completed');
  expect(idsOf(reader.events)).toEqual([4, 5, 6]);
  reader.close();
});

it('a bad id is 400, another workspace’s conversation 404, a key without the ability 403', async () => {
  const { conversation_id: id } = await conversation(1);
  for (const lastEventId of ['x', '-1', '1.5', '1e3', '9'.repeat(16)]) {
    const answer = await chat.listen(id, { lastEventId });
    expect([lastEventId, answer.status, answer.error?.code]).toEqual([lastEventId, 400, 'VALIDATION_FAILED']);
  }
  for (const after of ['x', '-1', '1.5']) {
    const answer = await service.call(`GET /api/v1/chat/stream?conversation_id=${id}&after=${after}`);
    expect([after, answer.status]).toEqual([after, 400]);
  }
  const { key } = await service.makeWorkspace();
  for (const answer of [await chat.listen(id, { key }), await chat.listen(randomUUID())]) {
    expect([answer.status, answer.error.code]).toEqual([404, 'NOT_FOUND']);
  }
  const blind = await chat.listen(id, { key: await service.makeKey({ abilities: ['chat:write'] }) });
  expect([blind.status, blind.error.code]).toEqual([403, 'FORBIDDEN']);
});

it('sends no chunked encoding to an HTTP/1.0 reader', async () => {
  const { external_user_id: user } = await conversation(1);
  const body = JSON.stringify({ bot_id: botId, external_user_id: user, message: 'hello' });
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  let received = '';
  socket.on('data', (piece: string) => {
    received += piece;
  });
  socket.write(
    `POST /api/v1/chat/send-stream HTTP/1.0\r\nAuthorization: Bearer ${service.key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const model = await played.next();
  model.write('Plainly');
  model.finish();
  await once(socket, 'close');
  const [head = '', ...events] = received.split('\r\n\r\n');
  expect(head).not.toMatch(/transfer-encoding/i);
  const names = events.join('').matchAll(/^event: (.*)$/gm);
  expect([...names].map(([, name]) => name)).toEqual([
    'turn.started',
    'message.delta',
    'message.completed',
    'turn.completed',
  ]);
  expect(events.join('').match(/^(?!id: |event: |data: |$).*$/gm)).toBeNull();
});
