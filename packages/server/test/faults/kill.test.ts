import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Lock, lockRow } from '../support/faults/locks.ts';
import { type PlannedModel, startPlannedModel } from '../support/faults/model.ts';
import type { StreamReader } from '../support/faults/reader.ts';
import {
  conversationOf,
  createFleet,
  expectWhole,
  makeBot,
  readStored,
  type Stored,
} from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { type ClientView, createClientView } from '../support/faults/view.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

/** One conversation for every boundary of a step, all reached when the process is killed. */
const boundaries = [
  'asked', // the model has the request and is silent
  'midway', // the reader has the beginning of the reply
  'unwritten', // the reply is complete; its write is in progress and is rolled back
  'committing', // the same, but PostgreSQL commits the write after the process is dead
  'untold', // the reply is written, and no reader was notified
  'admitting', // the message is being written; PostgreSQL commits it after the process is dead
  'refused', // the same, but PostgreSQL rolls it back
] as const;
type Boundary = (typeof boundaries)[number];

interface Place {
  conversationId: string;
  view: ClientView;
  stream: StreamReader;
}

const fleet = createFleet();
const places = new Map<Boundary, Place>();
const locks = new Map<Boundary, Lock>();
let database: TestDatabase;
let model: PlannedModel;
let service: ServiceProcess;
let killedAt: number;

const place = (boundary: Boundary) => places.get(boundary) as Place;
const lockOf = (boundary: Boundary) => locks.get(boundary) as Lock;
const deltasOf = ({ stream }: Place) => stream.events.filter(({ event }) => event === 'message.delta');

beforeAll(async () => {
  model = await startPlannedModel();
  database = await createTestDatabase();
  const environment = { ...database.environment, OPENAI_BASE_URL: model.url };
  service = await fleet.start(environment);
  const { connection } = database;
  const botId = await makeBot(service);
  const lockConversation = async (boundary: Boundary) =>
    void locks.set(
      boundary,
      await lockRow(connection, 'conversations', `id = '${place(boundary).conversationId}'`),
    );

  const slowly = [
    { type: 'text' as const, text: 'A reply that takes its time:' },
    { type: 'delay' as const, milliseconds: 3_000 },
    { type: 'text' as const, text: ' it is here.' },
  ];
  const answer = [{ type: 'text' as const, text: 'Another answer.' }];
  model.plan('asked', [{ type: 'hang' }], answer);
  model.plan('midway', [{ type: 'text', text: 'One two three four', delayMs: 50 }, { type: 'hang' }], answer);
  model.plan('unwritten', slowly, answer);
  model.plan('committing', slowly);
  model.plan('untold', slowly);

  for (const boundary of boundaries) {
    const first = fleet.send(service, { message: 'before', bot_id: botId, new_conversation: true });
    const conversationId = await conversationOf(first);
    await first.closed;
    const view = createClientView();
    fleet.follow(service, conversationId, view);
    places.set(boundary, { conversationId, view, stream: first });
  }
  const send = (message: Boundary) => {
    const { conversationId } = place(message);
    place(message).stream = fleet.send(service, { message, conversation_id: conversationId });
  };
  for (const boundary of ['asked', 'midway', 'unwritten', 'committing', 'untold'] as const) {
    send(boundary);
    await conversationOf(place(boundary).stream);
    // The reply is still streaming: from here on it cannot be written.
    if (boundary !== 'asked' && boundary !== 'midway') await lockConversation(boundary);
  }
  for (const boundary of ['admitting', 'refused'] as const) {
    await lockConversation(boundary);
    send(boundary);
  }
  for (const lock of locks.values()) await lock.blocks();
  // Tokens that arrive together are shown as one delta.
  const beginning = () => deltasOf(place('midway')).map(({ data }) => data.text);
  await until('a beginning is shown', () => beginning().join('') === 'One two three four');
  await until('the model is asked', () => model.calls('asked') === 1);
  for (const boundary of ['admitting', 'refused'] as const) {
    expect(place(boundary).stream.status()).toBeUndefined();
  }

  // A stopped process cannot pass on PostgreSQL's answer.
  service.child.kill('SIGSTOP');
  await lockOf('untold').release();
  const written = `select 1 from events where conversation_id = $1 and type = 'turn.completed'`;
  const isWritten = async () =>
    (await database.database.acrossWorkspaces.raw(written, [place('untold').conversationId])).rows.length ===
    2;
  await until('the reply is written', isWritten);
  killedAt = performance.now();
  await service.end('SIGKILL');
  for (const boundary of ['unwritten', 'refused'] as const) await lockOf(boundary).abort();
  for (const boundary of ['committing', 'admitting'] as const) await lockOf(boundary).release();

  service = await fleet.start(environment);
  for (const { conversationId, view } of places.values()) fleet.follow(service, conversationId, view);
});

afterAll(async () => {
  await fleet.end();
  await model?.close();
  await database?.drop();
});

/** The conversation when its turn has ended, which must be soon after the kill. */
async function settled(boundary: Boundary, turns: number): Promise<Stored> {
  const { conversationId, view } = place(boundary);
  const left = 30_000 - (performance.now() - killedAt);
  await expect
    .poll(async () => (await readStored(service, conversationId)).status, {
      timeout: Math.max(left, 1),
      interval: 250,
    })
    .toBe('idle');
  const stored = await readStored(service, conversationId);
  expectWhole(stored, turns);
  await expect.poll(() => view.durable.length).toBe(stored.events.length);
  expect(view.durable).toEqual(stored.events);
  expect(view.faults).toEqual([]);
  expect([...view.previews]).toEqual([]);
  return stored;
}

describe('after a kill -9 the next process', () => {
  it('asks the model again when it had not answered', async () => {
    const { messages } = await settled('asked', 2);
    expect(messages.at(-1)).toMatchObject({ content: 'Another answer.', interrupted: false });
    expect(model.calls('asked')).toBe(2);
  });

  it('retracts a partial reply and replies under a new id', async () => {
    const previewed = deltasOf(place('midway'))[0]?.data.message_id;
    const { messages } = await settled('midway', 2);
    expect(messages.at(-1)?.content).toBe('Another answer.');
    expect(messages.at(-1)?.id).not.toBe(previewed);
    expect([...place('midway').view.retracted]).toEqual([previewed]);
    expect(model.calls('midway')).toBe(2);
  });

  it('retracts a complete reply that was never written', async () => {
    const previewed = deltasOf(place('unwritten'))[0]?.data.message_id;
    const { messages } = await settled('unwritten', 2);
    expect(messages.at(-1)?.content).toBe('Another answer.');
    expect([...place('unwritten').view.retracted]).toEqual([previewed]);
    expect(model.calls('unwritten')).toBe(2);
  });

  it.each(['committing', 'untold'] as const)(
    'does not repeat a step that is written: %s',
    async (boundary) => {
      const previewed = deltasOf(place(boundary))[0]?.data.message_id;
      const { messages } = await settled(boundary, 2);
      expect(messages.at(-1)).toMatchObject({
        id: previewed,
        content: 'A reply that takes its time: it is here.',
      });
      expect([...place(boundary).view.retracted]).toEqual([]);
      expect(model.calls(boundary)).toBe(1);
    },
  );

  it('runs the whole turn of a message that was written but never acknowledged', async () => {
    const { messages } = await settled('admitting', 2);
    expect(messages.at(-2)).toMatchObject({ role: 'user', content: 'admitting' });
    expect(model.calls('admitting')).toBe(1);
  });

  it('does not know a message that was not written', async () => {
    await settled('refused', 1);
    expect(model.calls('refused')).toBe(0);
    const again = fleet.send(service, {
      message: 'refused',
      conversation_id: place('refused').conversationId,
    });
    await again.closed;
    expect(again.events.at(-1)?.event).toBe('turn.completed');
  });
});
