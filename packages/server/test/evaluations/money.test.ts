import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { accountOf, type PaidWorkspace, workspaceWith } from '../billing/money.ts';
import { text, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, scriptedEnvironment } from '../support/chat.ts';
import { asksForJudgement, evaluating, playBot } from '../support/evaluating.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** An output token costs a cent, and a step needs at least $5 to begin. */
const prices = JSON.stringify({ 'openai/gpt-4*': { input: 0, output: 10_000 } });

let scripted: ScriptedModel;
let app: TestApp;
let service: PaidWorkspace;
const chat = chatWith(() => service);
const { scenario, evaluate } = evaluating(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  app = await startTestApp({ environment: { ...scriptedEnvironment(scripted), SVC_MODEL_PRICES: prices } });
});
beforeEach(() => scripted.reset());
afterAll(async () => {
  await app.stop();
  await scripted.close();
});

async function startWith(balance: string): Promise<string> {
  service = await workspaceWith(app, balance);
  return chat.bot();
}

const account = () => accountOf(service.database, service.id);

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
  expect(await service.call(`POST /api/v1/bots/${botId}/evaluations`)).toMatchObject({
    status: 402,
    body: { code: 'INSUFFICIENT_BALANCE' },
  });
  const { rows } = await service.database.acrossWorkspaces.execute(
    sql`select (select count(*) from evaluations where workspace_id = ${service.id}::uuid)::int as evaluations,
          (select count(*) from turns where workspace_id = ${service.id}::uuid)::int as turns`,
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
