import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { accountOf, type PaidWorkspace, workspaceWith } from '../billing/money.ts';
import {
  chatWith,
  eventually,
  idsOf,
  type Message,
  namesOf,
  scriptedEnvironment,
  upTo,
} from '../support/chat.ts';
import { type HandPlayedModel, isSummary, startHandPlayedModel } from '../support/hand-played-model.ts';
import { fewer } from '../support/sample.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

/** An output token costs a cent, an input token a thousandth of that; a turn needs a little over $5 to begin. */
const prices = JSON.stringify({ 'openai/gpt-4*': { input: 10, output: 10_000 } });

let played: HandPlayedModel;
let app: TestApp;
let service: Pick<PaidWorkspace, 'url' | 'key' | 'call' | 'database'> & { id?: string };
const chat = chatWith(() => service);
const environment = () => ({ ...scriptedEnvironment(played), SVC_MODEL_PRICES: prices });
beforeAll(async () => {
  played = await startHandPlayedModel();
  app = await startTestApp({ environment: environment() });
});
afterEach(() => played.autoplay());
afterAll(async () => {
  await app.stop();
  await played.close();
});

async function start(balance: string): Promise<void> {
  service = await workspaceWith(app, balance);
}

const account = () => accountOf(service.database, service.id);

/** A turn that costs this many cents. */
async function spend(user: Message, cents: number): Promise<string> {
  const sent = await chat.send(user);
  const model = await played.next();
  model.finish({ input: 0, output: cents });
  const { events } = await sent.ended();
  expect(events.at(-1)).toMatchObject({ event: 'turn.completed' });
  return events[0]?.data.conversation_id;
}

async function countAll(): Promise<unknown> {
  const { rows } = await service.database.acrossWorkspaces.execute(
    sql`select (select count(*) from conversations) as c, (select count(*) from turns) as t, (select count(*) from events) as e`,
  );
  return rows[0];
}

it('charges the actual usage, and refuses before anything is written when the balance is used up', async () => {
  await start('25');
  const user = { bot_id: await chat.bot(), external_user_id: randomUUID() };
  const id = await spend(user, 1_300);
  expect(await account()).toEqual({ settled: 13, reserved: 0 });
  await spend(user, 100);
  expect(await account()).toEqual({ settled: 14, reserved: 0 });
  // $11 are left, and a turn reserves a little over $5.
  await spend(user, 1_050);
  const before = await countAll();
  for (const message of [user, { ...user, new_conversation: true }, { ...user, conversation_id: id }]) {
    const refused = await chat.send(message);
    expect([refused.status, refused.error.code]).toEqual([402, 'INSUFFICIENT_BALANCE']);
  }
  expect(await countAll()).toEqual(before);
  expect(await account()).toEqual({ settled: 24.5, reserved: 0 });
});

it('a restart refunds nothing, and a raised plan adds credit', async () => {
  const store = await createTestDatabase();
  const restart = async (balance: string, before?: TestNode) => {
    await before?.stop();
    const plan = { ...environment(), SVC_PLAN_BALANCE_USD: balance };
    const node = await startNode({ database: store.database, environment: plan });
    service = { ...node, database: store.database };
    return node;
  };
  const first = await restart('15');
  const user = { bot_id: await chat.bot(), external_user_id: randomUUID() };
  await spend(user, 1_000);
  const second = await restart('15', first);
  expect((await chat.send(user)).status).toBe(402);
  const third = await restart('30', second);
  await spend(user, 1);
  expect(await account()).toEqual({ settled: 10.01, reserved: 0 });
  await third.stop();
  await store.drop();
});

it('of a hundred concurrent turns only those begin whose cost can be reserved', async () => {
  await start('55');
  const bot = await chat.bot();
  const answers = await Promise.all(upTo(100).map(() => chat.send({ bot_id: bot })));
  const running = answers.filter(({ status }) => status === 200);
  // One reserves the cost of 4,000 tokens, and another the rest.
  expect(running).toHaveLength(2);
  expect(new Set(answers.map(({ status, error }) => error?.code ?? status))).toEqual(
    new Set([200, 'INSUFFICIENT_BALANCE']),
  );
  for (const _ of running) {
    const model = await played.next();
    model.finish({ input: 0, output: Number(model.body['max_tokens']) });
  }
  for (const reader of running) await reader.until('turn.completed');
  const { settled, reserved } = await account();
  expect(reserved).toBe(0);
  expect(settled).toBeGreaterThan(54);
  expect(settled).toBeLessThanOrEqual(55);
  expect((await chat.send({ bot_id: bot })).status).toBe(402);
});

it('the reservation of a failed turn is released', async () => {
  await start('15');
  const user = { bot_id: await chat.bot(), external_user_id: randomUUID() };
  // A provider that refuses the request charges nothing.
  played.autoplay((model) => model.writeRaw('data: {"error":{"message":"no","code":"invalid"}}\n\n'));
  const failed = await chat.say(user);
  expect(failed.last.event).toBe('turn.failed');
  expect(await account()).toEqual({ settled: 0, reserved: 0 });
  played.autoplay();
  // A turn that is refused for another reason holds no reservation either.
  const running = await chat.send(user);
  const model = await played.next();
  const { reserved } = await account();
  expect((await chat.send({ ...user, conversation_id: failed.conversationId })).status).toBeGreaterThan(400);
  expect((await account()).reserved).toBe(reserved);
  model.finish({ input: 0, output: 1 });
  await running.ended();
  expect(await account()).toEqual({ settled: 0.01, reserved: 0 });
});

it('a model without a price is refused, with the variable to set', async () => {
  await start('15');
  const before = await countAll();
  const refused = await chat.send({ bot_id: await chat.bot({ model: 'openai/nobody-knows' }) });
  expect(refused).toMatchObject({ status: 400, error: { code: 'VALIDATION_FAILED' } });
  expect(refused.error.message).toContain('SVC_MODEL_PRICES');
  expect(refused.error.message).toContain('openai/nobody-knows');
  expect(await countAll()).toEqual(before);
  const free = await chat.say({ bot_id: await chat.bot({ model: 'builtin/extractive' }) });
  expect(free.last).toMatchObject({ event: 'turn.completed', data: { cost_usd: '0' } });
});

it('pays for summaries too', async () => {
  await start('1000');
  const filler = 'Lorem ipsum. '.repeat(80);
  played.autoplay((model) => {
    if (!isSummary(model.body)) model.write(filler);
    model.finish({ input: 0, output: isSummary(model.body) ? 700 : 100 });
  });
  const user = { bot_id: await chat.bot({ model: 'openai/gpt-4' }), external_user_id: randomUUID() };
  for (let turn = 0; turn < 8; turn += 1) await chat.say({ ...user, message: filler });
  await eventually(account).toEqual({ settled: 15, reserved: 0 });
});

it('sends that race the end of a turn neither break it nor are broken by it', async () => {
  await start('100000');
  played.autoplay((model) => {
    model.write('Yes.');
    model.finish({ input: 0, output: 1 });
  });
  const user = { bot_id: await chat.bot(), external_user_id: randomUUID() };
  let turns = 0;
  let id = '';
  while (turns < fewer(60)) {
    const answers = await Promise.all(
      upTo(6).map(() =>
        chat.send(turns === 0 ? { ...user, new_conversation: true } : { ...user, conversation_id: id }),
      ),
    );
    for (const { status } of answers) expect([200, 409]).toContain(status);
    for (const reader of answers.filter(({ status }) => status === 200)) {
      const { events } = await reader.ended();
      expect(namesOf(events).at(-1)).toBe('turn.completed');
      id ||= events[0]?.data.conversation_id;
      turns += 1;
    }
  }
  const log = await chat.log(id);
  expect(idsOf(log)).toEqual(upTo(log.length));
  expect(await account()).toEqual({ settled: expect.closeTo(turns / 100, 6), reserved: 0 });
});
