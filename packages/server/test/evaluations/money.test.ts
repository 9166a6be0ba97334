import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { text, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, scriptedEnvironment } from '../support/chat.ts';
import { asksForJudgement, evaluating, playBot } from '../support/evaluating.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

/** An output token costs a cent, and a step needs at least $5 to begin. */
const prices = JSON.stringify({ 'openai/gpt-4*': { input: 0, output: 10_000 } });

// Every test starts a node of its own.

let scripted: ScriptedModel;
let store: TestDatabase;
let node: TestNode;
const chat = chatWith(() => node);
const { scenario, evaluate } = evaluating(() => node);
beforeAll(async () => {
  scripted = await startScriptedModel();
});
beforeEach(async () => {
  scripted.reset();
  store = await createTestDatabase();
});
afterEach(async () => {
  await node.stop();
  await store.drop();
});
afterAll(() => scripted.close());

async function startWith(balance: string): Promise<string> {
  const environment = { SVC_MODEL_PRICES: prices, SVC_PLAN_BALANCE_USD: balance };
  node = await startNode({
    database: store.database,
    environment: { ...scriptedEnvironment(scripted), ...environment },
  });
  return chat.bot();
}

async function account(): Promise<unknown> {
  const { rows } = await store.database.acrossWorkspaces.execute(
    sql`select settled_usd::float8 as settled, reserved_usd::float8 as reserved from billing_accounts`,
  );
  return rows[0];
}

/** Sets the cost of a reply and of a judgement, in cents. */
function costs(reply: number, judgement: number): void {
  playBot(scripted, {
    reply: () => [text('Yes.'), usage(0, reply)],
    judge: () => [text('{"facts":[{"number":1,"holds":true}]}'), usage(0, judgement)],
  });
}

it('pays for replies and judgements, and reports the cost', async () => {
  const botId = await startWith('100');
  costs(300, 50);
  await scenario(botId, { turns: ['a', 'b'], expected_facts: ['x'] });
  await scenario(botId, { turns: ['c'] });
  const report = await evaluate(botId);
  expect(report).toMatchObject({
    status: 'completed',
    usage: { output_tokens: 950 },
    cases: [{ usage: { output_tokens: 650 } }, { usage: { output_tokens: 300 } }],
  });
  expect(Number(report.cost_usd)).toBe(9.5);
  expect(report.cases.map((one: { cost_usd: string }) => Number(one.cost_usd))).toEqual([6.5, 3]);
  expect(await account()).toEqual({ settled: 9.5, reserved: 0 });
});

it('is refused before anything is written when the balance is used up', async () => {
  const botId = await startWith('4.99');
  costs(1, 1);
  await scenario(botId, {});
  expect(await node.call(`POST /api/v1/bots/${botId}/evaluations`)).toMatchObject({
    status: 402,
    body: { code: 'INSUFFICIENT_BALANCE' },
  });
  const { rows } = await store.database.acrossWorkspaces.execute(
    sql`select (select count(*) from evaluations)::int as evaluations, (select count(*) from turns)::int as turns`,
  );
  expect(rows).toEqual([{ evaluations: 0, turns: 0 }]);
});

it('fails, keeping the decided cases, when the balance runs out between cases', async () => {
  const botId = await startWith('10');
  costs(600, 1);
  for (const name of ['first', 'second', 'third']) await scenario(botId, { name });
  expect(await evaluate(botId)).toMatchObject({
    status: 'failed',
    error: { code: 'INSUFFICIENT_BALANCE' },
    counts: { total: 3, passed: 1, error: 0, skipped: 2, pending: 0 },
    cases: [{ status: 'passed' }, { status: 'skipped' }, { status: 'skipped' }],
  });
  expect(await account()).toEqual({ settled: 6, reserved: 0 });
});

it('never passes a case that there was no money to judge', async () => {
  const botId = await startWith('15');
  costs(1_600, 1);
  await scenario(botId, { name: 'first', expected_facts: ['x'] });
  await scenario(botId, { name: 'second' });
  expect(await evaluate(botId)).toMatchObject({
    status: 'failed',
    error: { code: 'INSUFFICIENT_BALANCE' },
    counts: { passed: 0, error: 1, skipped: 1 },
    cases: [
      { status: 'error', reasons: [{ kind: 'error', code: 'INSUFFICIENT_BALANCE' }] },
      { status: 'skipped' },
    ],
  });
  expect(scripted.requests.filter(asksForJudgement)).toEqual([]);
  expect(await account()).toEqual({ settled: 16, reserved: 0 });
});
