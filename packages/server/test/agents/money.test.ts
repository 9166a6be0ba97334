import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { text, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { complete, incomplete, makeAgent, playAgent, runToItsEnd, trigger } from '../support/agents.ts';
import { scriptedEnvironment } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** An output token costs a cent, and a step needs at least $5 to begin. */
const prices = JSON.stringify({ 'openai/gpt-4*': { input: 0, output: 10_000 } });

let scripted: ScriptedModel;
let service: TestApp;
beforeAll(async () => {
  scripted = await startScriptedModel();
  return () => scripted.close();
});
beforeEach(() => scripted.reset());
afterEach(() => service.stop());

async function start(environment: Record<string, string>): Promise<void> {
  service = await startTestApp({ environment: { SVC_MODEL_PRICES: prices, ...environment } });
}

async function account(): Promise<unknown> {
  const { rows } = await service.database.acrossWorkspaces.execute(
    sql`select settled_usd::float8 as settled, reserved_usd::float8 as reserved from billing_accounts`,
  );
  return rows[0];
}

const said = (words: string, cents: number) => [text(words), usage(0, cents)];

it('a run takes what its replies and its checks cost', async () => {
  await start({ ...scriptedEnvironment(scripted), SVC_PLAN_BALANCE_USD: '100' });
  playAgent(
    scripted,
    [said('Done.', 100), said('Now.', 200)],
    [said(JSON.stringify(incomplete('x')), 30), said(JSON.stringify(complete), 4)],
  );
  expect(await runToItsEnd(service, await makeAgent(service))).toMatchObject({ status: 'completed' });
  expect(await account()).toEqual({ settled: 3.34, reserved: 0 });
});

it('is accepted without a balance, and fails on its conversation', async () => {
  await start({ ...scriptedEnvironment(scripted), SVC_PLAN_BALANCE_USD: '4.99' });
  const agentId = await makeAgent(service);
  expect(await runToItsEnd(service, agentId)).toMatchObject({
    status: 'failed',
    final_output: null,
    run: {
      iterations: 0,
      error: { code: 'INSUFFICIENT_BALANCE', message: expect.stringContaining('balance') },
    },
  });
  expect(scripted.requests).toEqual([]);
  expect(await account()).toEqual({ settled: 0, reserved: 0 });
  // It is over, so the next one is accepted.
  expect(await trigger(service, agentId)).toMatchObject({ status: 202 });
});

it('fails when the balance is used up during the run, whether before a check or a reply', async () => {
  await start({ ...scriptedEnvironment(scripted), SVC_PLAN_BALANCE_USD: '12' });
  const played = playAgent(scripted, [said('Done.', 900)]);
  expect(await runToItsEnd(service, await makeAgent(service))).toMatchObject({
    status: 'failed',
    run: { iterations: 1, error: { code: 'INSUFFICIENT_BALANCE' } },
  });
  expect(played.checks()).toHaveLength(0);
  expect(await account()).toEqual({ settled: 9, reserved: 0 });
});

it('is refused on a model without a known price', async () => {
  await start({
    ...scriptedEnvironment(scripted),
    SVC_DEFAULT_MODEL: 'openai/unheard-of',
    SVC_PLAN_BALANCE_USD: '5',
  });
  expect(await trigger(service, await makeAgent(service))).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_FAILED', message: expect.stringContaining('SVC_MODEL_PRICES') },
  });
});

it.each([
  ['the built-in model', {}, {}],
  ['a provider that lost its key', {}, { model: 'anthropic/claude-sonnet-5-5' }],
  ['the built-in model, with a balance', { SVC_PLAN_BALANCE_USD: '5' }, {}],
  ['no provider, with a balance', { SVC_PLAN_BALANCE_USD: '5' }, { model: 'anthropic/claude-sonnet-5-5' }],
])('a run on %s is accepted and fails', async (_what, environment, fields) => {
  await start(environment);
  const agentId = await makeAgent(service);
  await service.database.acrossWorkspaces.execute(
    sql`update bots set settings = ${JSON.stringify(fields)} where id = ${agentId}`,
  );
  expect(await runToItsEnd(service, agentId)).toMatchObject({
    status: 'failed',
    final_output: null,
    run: { iterations: 0, error: { code: 'NO_MODEL_CONFIGURED', message: expect.stringMatching(/\S/) } },
  });
});
