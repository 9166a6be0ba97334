import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { accountOf, type PaidWorkspace, workspaceWith } from '../billing/money.ts';
import { text, toolCall, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import { assignTools, judge } from '../support/quality.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** An output token costs a cent, an input token next to nothing: a reply needs $5 to start, and its grade as much again. */
const prices = JSON.stringify({ 'openai/gpt-4*': { input: 10, output: 10_000 } });

let scripted: ScriptedModel;
let app: TestApp;
let service: PaidWorkspace;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  app = await startTestApp({ environment: { ...scriptedEnvironment(scripted), SVC_MODEL_PRICES: prices } });
});
beforeEach(() => scripted.reset());
afterAll(async () => {
  await app.stop();
  await scripted.close();
});

async function start(balance: string): Promise<void> {
  service = await workspaceWith(app, balance);
}

const account = () => accountOf(service.database, service.id);

const graded = { enable_confidence_scoring: true };

it('money for the grade is reserved together with that for the reply', async () => {
  await start('9.5');
  judge(scripted, { replies: [[text('Yes.'), usage(0, 1)]] });
  const refused = await chat.send({ bot_id: await chat.bot(graded) });
  expect([refused.status, refused.error.code]).toEqual([402, 'INSUFFICIENT_BALANCE']);
  expect((await chat.say({ bot_id: await chat.bot() })).last.event).toBe('turn.completed');
});

it.each([
  ['sent', 0.9],
  ['refused', 0.1],
])('a reply that is %s costs itself and its grade', async (_what, value) => {
  await start('100');
  judge(scripted, {
    replies: [[text('Yes.'), usage(0, 100)]],
    grades: [[text(`{"score": ${value}}`), usage(0, 30)]],
  });
  const turn = await chat.say({ bot_id: await chat.bot(graded) });
  expect(turn.last.data.cost_usd).toBe('1.3');
  expect(await account()).toEqual({ settled: 1.3, reserved: 0 });
});

it('a later step also reserves what its grade may cost', async () => {
  // The first step leaves less than a reply and its grade need.
  await start('14');
  const bot = await chat.bot(graded);
  await assignTools(service.call, bot, [{ tool_type: 'calculator' }]);
  judge(scripted, { replies: [[toolCall('calculator', { expression: '1' }), usage(0, 450)], [text('1.')]] });
  const turn = await chat.say({ bot_id: bot });
  expect(turn.last).toMatchObject({
    event: 'turn.failed',
    data: { error: { code: 'INSUFFICIENT_BALANCE' } },
  });
  expect(await account()).toEqual({ settled: 4.5, reserved: 0 });
});

it('a validation is charged to the balance when it is done', async () => {
  await start('100');
  const bot = await chat.bot({ enable_response_validation: true });
  await assignTools(service.call, bot, [{ tool_type: 'calculator' }]);
  judge(scripted, {
    replies: [
      [toolCall('calculator', { expression: '1' }), usage(0, 100)],
      [text('1.'), usage(0, 100)],
    ],
    verdicts: [[text('{"unsupported_claims": []}'), usage(0, 50)]],
  });
  const turn = await chat.say({ bot_id: bot });
  expect(turn.last.data.cost_usd).toBe('2');
  await eventually(account).toEqual({ settled: 2.5, reserved: 0 });
  const stats = await service.call(`GET /api/v1/chat/stats?conversation_id=${turn.conversationId}`);
  expect(stats.body.cost_usd).toBe('2.5');
});
