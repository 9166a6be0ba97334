import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { accountOf, type PaidWorkspace, workspaceWith } from '../billing/money.ts';
import { text, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { complete, incomplete, makeAgent, playAgent, runToItsEnd, trigger } from '../support/agents.ts';
import { scriptedEnvironment } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** An output token costs a cent, and a step needs at least $5 to begin. */
const prices = JSON.stringify({ 'openai/gpt-4*': { input: 0, output: 10_000 } });

let scripted: ScriptedModel;
let apps: { withModel: TestApp; withoutModel: TestApp };
let service: PaidWorkspace;
beforeAll(async () => {
  scripted = await startScriptedModel();
  const startWith = (environment: Record<string, string>) =>
    startTestApp({ environment: { SVC_MODEL_PRICES: prices, ...environment } });
  apps = { withModel: await startWith(scriptedEnvironment(scripted)), withoutModel: await startWith({}) };
});
beforeEach(() => scripted.reset());
afterAll(async () => {
  for (const app of Object.values(apps)) await app.stop();
  await scripted.close();
});

async function start(balance: string): Promise<void> {
  service = await workspaceWith(apps.withModel, balance);
}

const account = () => accountOf(service.database, service.id);

const said = (words: string, cents: number) => [text(words), usage(0, cents)];

it('a run takes what its replies and its checks cost', async () => {
  await start('100');
  playAgent(
    scripted,
    [said('Done.', 100), said('Now.', 200)],
    [said(JSON.stringify(incomplete('x')), 30), said(JSON.stringify(complete), 4)],
  );
  expect(await runToItsEnd(service, await makeAgent(service))).toMatchObject({ status: 'completed' });
  expect(await account()).toEqual({ settled: 3.34, reserved: 0 });
});

it('is accepted without a balance, and fails on its conversation', async () => {
  await start('4.99');
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
  await start('12');
  const played = playAgent(scripted, [said('Done.', 900)]);
  expect(await runToItsEnd(service, await makeAgent(service))).toMatchObject({
    status: 'failed',
    run: { iterations: 1, error: { code: 'INSUFFICIENT_BALANCE' } },
  });
  expect(played.checks()).toHaveLength(0);
  expect(await account()).toEqual({ settled: 9, reserved: 0 });
});

it('is refused on a model without a known price', async () => {
  await start('5');
  const agentId = await makeAgent(service, { model: 'openai/unheard-of' });
  expect(await trigger(service, agentId)).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_FAILED', message: expect.stringContaining('SVC_MODEL_PRICES') },
  });
});

it.each([
  ['the built-in model', null, {}],
  ['a provider that lost its key', null, { model: 'anthropic/claude-sonnet-5-5' }],
  ['the built-in model, with a balance', '5', {}],
  ['no provider, with a balance', '5', { model: 'anthropic/claude-sonnet-5-5' }],
])('a run on %s is accepted and fails', async (_what, balance, fields) => {
  service = await workspaceWith(apps.withoutModel, balance);
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
