import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { type PlannedModel, startPlannedModel } from '../support/faults/model.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/faults/proxy.ts';
import { readStream } from '../support/faults/reader.ts';
import {
  conversationOf,
  createFleet,
  expectWhole,
  key,
  makeBot,
  readStored,
} from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { createClientView } from '../support/faults/view.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

let database: TestDatabase;
let proxy: DatabaseProxy;
let model: PlannedModel;
const fleet = createFleet();
let service: ServiceProcess;
let botId: string;
let conversationId: string;
const view = { current: createClientView() };

beforeAll(async () => {
  database = await createTestDatabase();
  [proxy, model] = await Promise.all([startDatabaseProxy(database), startPlannedModel()]);
  service = await fleet.start({
    ...proxy.environment,
    OPENAI_BASE_URL: model.url,
    SVC_MODEL_PRICES: '{"openai/priced":{"input":100000,"output":0}}',
  });
  botId = await makeBot(service);
});
afterAll(async () => {
  await fleet.end();
  await proxy.close();
  await model.close();
  await database.drop();
});
beforeEach(() => begin(botId));

/** A conversation with one turn, and its reader. */
async function begin(bot_id: string): Promise<void> {
  const first = fleet.send(service, { message: 'before', bot_id, new_conversation: true });
  conversationId = await conversationOf(first);
  await first.closed;
  view.current = createClientView();
  fleet.follow(service, conversationId, view.current);
}

/** Waits until PostgreSQL has this many events of the conversation, and only then breaks the connection. */
async function breakWhenWritten(events: number, trap: { sent: Promise<void> }): Promise<void> {
  await trap.sent;
  const written = async () => {
    const { rows } = await database.database.acrossWorkspaces.execute<{ count: number }>(
      sql`select count(*)::int as count from events where conversation_id = ${conversationId}`,
    );
    return rows[0]?.count === events;
  };
  await until(`${events} events are written`, written);
  proxy.breakLost();
}

/** Both turns are whole, and the reader saw each event once. */
async function expectTwoTurns(): Promise<void> {
  const idle = async () => (await readStored(service, conversationId)).status === 'idle';
  await until('the turn ends', idle, { detail: service.output });
  const stored = await readStored(service, conversationId);
  expectWhole(stored, 2);
  await until('the reader has it all', () => view.current.durable.length === 6);
  expect(view.current.durable).toEqual(stored.events);
  expect(view.current.faults).toEqual([]);
}

const send = (message: string, headers: Record<string, string> = {}) =>
  readStream(service.url, {
    key,
    operation: 'POST /api/v1/chat/send-stream',
    body: { external_user_id: 'u', conversation_id: conversationId, message },
    headers,
  });

describe('a committed write whose answer was lost', () => {
  it('does not repeat a step', async () => {
    const trap = proxy.loseAnswerTo('turns.write_reply');
    const stream = send('step');
    await breakWhenWritten(6, trap);
    await stream.closed;
    expect(stream.events.at(-1)?.event).toBe('turn.completed');
    await expectTwoTurns();
    expect(model.calls('step')).toBe(1);
  });

  it('does not settle a step twice in a workspace with a balance', async () => {
    const setCredit = (credit: number | null) =>
      database.database.acrossWorkspaces.execute(sql`update workspaces set credit_usd = ${credit}::numeric`);
    await setCredit(1_000);
    const paying = await makeBot(service);
    const body = { model: 'openai/priced' };
    expect(await service.call(key)(`PUT /api/v1/bots/${paying}`, { body })).toMatchObject({ status: 200 });
    await begin(paying);
    model.plan('paid', [
      { type: 'text', text: 'Some words' },
      { type: 'delay', milliseconds: 1_500 },
      { type: 'text', text: ' and more.' },
    ]);
    const stream = send('paid');
    await conversationOf(stream);
    // The reservation is committed just before: the commit to lose is the reply's.
    await until('the model is asked', () => model.calls('paid') === 1);
    await breakWhenWritten(6, proxy.loseAnswerTo('commit'));
    await stream.closed;
    expect(stream.events.at(-1)?.event).toBe('turn.completed');
    await expectTwoTurns();
    const { rows } = await database.database.acrossWorkspaces.execute<{ settled: string; reserved: string }>(
      'select settled_usd::float as settled, reserved_usd::float as reserved from billing_accounts',
    );
    expect(rows).toEqual([{ settled: 2, reserved: 0 }]);
    await setCredit(null);
  });

  it('does not abandon a turn that was begun but not acknowledged', async () => {
    const trap = proxy.loseAnswerTo('turns.admit');
    const stream = send('begun');
    await breakWhenWritten(4, trap);
    await stream.closed;
    expect(stream.status()).toBe(503);
    await expectTwoTurns();
    expect(model.calls('begun')).toBe(1);
  });

  it('does not keep an event from readers that no later event would follow', async () => {
    await until('the reader has it all', () => view.current.durable.length === 3);
    const trap = proxy.loseAnswerTo('commit', { after: 'A person here.' });
    const writing = service.call(key)(`POST /api/v1/conversations/${conversationId}/messages`, {
      body: { content: 'A person here.' },
    });
    await breakWhenWritten(4, trap);
    expect(await writing).toMatchObject({ status: 503 });
    await until('the reader has the message', () => view.current.durable.length === 4);
    expect(view.current.durable.at(-1)?.event).toBe('message.operator');
  });

  it('attaches a repeat with the same Idempotency-Key to the turn that was begun', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    // The commit of this turn, not one of what the turn before it left to be written.
    const trap = proxy.loseAnswerTo('commit', { after: 'repeated' });
    const stream = send('repeated', headers);
    await breakWhenWritten(4, trap);
    await stream.closed;
    expect(stream.status()).toBe(503);
    const again = send('repeated', headers);
    await again.closed;
    expect(again.events.at(-1)?.event, again.body()).toBe('turn.completed');
    await expectTwoTurns();
    expect(model.calls('repeated')).toBe(1);
  });
});
