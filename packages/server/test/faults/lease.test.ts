import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ScriptStep } from '../scripted-model/script.ts';
import { type PlannedModel, startPlannedModel } from '../support/faults/model.ts';
import type { StreamReader } from '../support/faults/reader.ts';
import {
  conversationOf,
  createFleet,
  expectWhole,
  key,
  makeBot,
  type Reachable,
  readStored,
} from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { createClientView } from '../support/faults/view.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

let database: TestDatabase;
let model: PlannedModel;
const fleet = createFleet();
let owner: ServiceProcess | undefined;
let other: Reachable;
let botId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  model = await startPlannedModel();
  other = await fleet.startHere(database, { OPENAI_BASE_URL: model.url });
  botId = await makeBot(other);
});
// One test kills it.
beforeEach(async () => {
  owner ??= await start();
});
afterAll(async () => {
  await fleet.end();
  await model.close();
  await database.drop();
});

const start = () => fleet.start({ ...database.environment, OPENAI_BASE_URL: model.url });

/** The node that runs the turns. */
function running(): ServiceProcess {
  if (!owner) throw new Error('It was killed.');
  return owner;
}

const answer: ScriptStep[] = [{ type: 'text', text: 'The other node answers.' }];
/** Four words immediately, and the rest after a delay. */
const slowly = (milliseconds: number): ScriptStep[] => [
  { type: 'text', text: 'This is the beginning' },
  { type: 'delay', milliseconds },
  { type: 'text', text: ' and this is the end.' },
];

interface Begun {
  stream: StreamReader;
  conversationId: string;
  messageId: string;
}

/** A turn that the owner runs, whose reader has the beginning of its reply. */
async function begin(message: string): Promise<Begun> {
  const stream = fleet.send(running(), { message, bot_id: botId, new_conversation: true });
  const conversationId = await conversationOf(stream);
  const deltas = () => stream.events.filter(({ event }) => event === 'message.delta');
  await until('the reply begins', () => deltas().length > 0);
  return { stream, conversationId, messageId: deltas()[0]?.data.message_id };
}

const statusOf = async (conversationId: string) => (await readStored(other, conversationId)).status;
const stop = (service: Reachable, conversationId: string) =>
  service.call(key)('POST /api/v1/chat/stop', { body: { conversation_id: conversationId } });

/** Waits for the other node to end the turn; fails if that takes more than 30 s after the fault. */
async function endedByOther(conversationId: string, faultAt: number): Promise<void> {
  const timeout = 30_000 - (performance.now() - faultAt);
  await until('the turn ends', async () => (await statusOf(conversationId)) === 'idle', { timeout });
}

describe('two nodes on one database', () => {
  it('a node that freezes loses its turns and writes nothing when it wakes', async () => {
    // The other node is still writing the same step when the first one wakes with its own reply complete.
    model.plan('taken', slowly(2_000), [{ type: 'delay', milliseconds: 4_000 }, ...answer]);
    model.plan('stopped', slowly(2_000), answer);
    const frozen = running();
    const outputBefore = frozen.output().length;
    const output = () => frozen.output().slice(outputBefore);
    const taken = await begin('taken');
    const stopped = await begin('stopped');
    const view = createClientView();
    fleet.follow(other, taken.conversationId, view);
    frozen.child.kill('SIGSTOP');
    const stoppedAt = performance.now();

    expect(await stop(other, stopped.conversationId)).toMatchObject({ status: 200, body: { stopped: true } });
    expect(performance.now() - stoppedAt).toBeLessThan(10_000);
    const isTaken = () => model.calls('taken') === 2;
    const timeout = 30_000 - (performance.now() - stoppedAt);
    await until('the other node has begun the step', isTaken, { timeout });
    const interrupted = await readStored(other, stopped.conversationId);

    frozen.child.kill('SIGCONT');
    const lost = () => output().match(/Another node has this turn now/g)?.length ?? 0;
    await until('the first node notices', () => lost() === 2, { detail: output });
    await until('the turn ends', async () => (await statusOf(taken.conversationId)) === 'idle');
    const whole = await readStored(frozen, taken.conversationId);
    expect(await readStored(frozen, stopped.conversationId)).toEqual(interrupted);
    // Its readers get the rest from the log, and nothing more of the reply that it lost.
    await taken.stream.closed;
    const own = createClientView();
    for (const event of taken.stream.events) own.apply(event);
    expect(own.durable).toEqual(whole.events);
    expect(taken.stream.body()).not.toContain('this is the end');
    expect(own).toMatchObject({ faults: [], previews: { size: 0 }, retracted: new Set([taken.messageId]) });

    expectWhole(whole, 1);
    expect(whole.messages[1]?.content).toBe('The other node answers.');
    expect(view.durable).toEqual(whole.events);
    expect(view.faults).toEqual([]);
    expect([...view.retracted]).toEqual([taken.messageId]);
    expect(interrupted.events.map(({ event }) => event)).toEqual(['turn.started', 'turn.interrupted']);
    expect(interrupted.events[1]?.data.by).toBe('api');
    expect([model.calls('taken'), model.calls('stopped')]).toEqual([2, 1]);
    expect(output()).not.toContain('"level":50');
  });

  it('a turn continues within 30 s when its node is killed, and its readers resume on the other', async () => {
    model.plan('killed', [...slowly(0), { type: 'hang' }], answer);
    const { stream, conversationId, messageId } = await begin('killed');
    const view = createClientView();
    for (const event of stream.events) view.apply(event);
    const killedAt = performance.now();
    await running().end('SIGKILL');
    owner = undefined;
    const resumed = fleet.follow(other, conversationId, view);
    await endedByOther(conversationId, killedAt);
    const stored = await readStored(other, conversationId);
    expectWhole(stored, 1);
    await until('the reader has it all', () => view.durable.length === 3, { detail: resumed.body });
    expect(view.durable).toEqual(stored.events);
    expect(view.faults).toEqual([]);
    expect([...view.retracted]).toEqual([messageId]);
    expect(model.calls('killed')).toBe(2);
  });

  it('a node stops a turn that the other runs, and the text so far is kept', async () => {
    model.plan('halted', [...slowly(0), { type: 'hang' }]);
    const { stream, conversationId, messageId } = await begin('halted');
    const askedAt = performance.now();
    expect(await stop(other, conversationId)).toMatchObject({ status: 200, body: { stopped: true } });
    // Sooner than the other node would have stopped it on the owner's behalf.
    expect(performance.now() - askedAt).toBeLessThan(5_000);
    await stream.closed;
    const { messages, events } = await readStored(other, conversationId);
    expect(messages[1]).toMatchObject({ id: messageId, interrupted: true });
    expect(messages[1]?.content).toMatch(/^This is the beginning/);
    expect(events.map(({ event }) => event)).toEqual([
      'turn.started',
      'message.completed',
      'turn.interrupted',
    ]);
    expect(stream.events.filter(({ id }) => id !== undefined)).toEqual(events);
    expect(await stop(other, conversationId)).toMatchObject({ status: 200, body: { stopped: false } });
  });
});
