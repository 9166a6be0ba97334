import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { endOfRun, makeAgent, playAgent, trigger } from '../support/agents.ts';
import { makeAskingBot, pauseTurn } from '../support/asking-bot.ts';
import { chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import { evaluating, playBot } from '../support/evaluating.ts';
import { setLimits } from '../support/limits.ts';
import { scheduleEveryMilliseconds, slotsOnRecord } from '../support/schedules.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
let now = new Date('2026-11-15T08:00:00Z');
const chat = chatWith(() => service);
const { scenario, evaluate } = evaluating(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({
    environment: scriptedEnvironment(scripted),
    clock: { now: () => now },
    scheduleEveryMilliseconds,
  });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});
beforeEach(async () => {
  scripted.reset();
  await setLimits(service, { turns: 'default' });
});

it('a turn continues after its approval, even if no turn may start', async () => {
  const botId = await makeAskingBot(service, {});
  const { conversationId, approvalId } = await pauseTurn(service, scripted, botId);
  await setLimits(service, { turns: 0 });
  expect((await chat.send({ bot_id: botId })).status).toBe(429);
  const reader = await chat.listen(conversationId);
  const answer = await service.call(`POST /api/v1/hitl/${approvalId}/respond`, { body: { action: 'deny' } });
  expect(answer).toMatchObject({ status: 200 });
  await reader.until('turn.completed');
  reader.close();
});

it('a paused turn does not count as in progress', async () => {
  const botId = await makeAskingBot(service, {});
  await setLimits(service, { turns: 1 });
  const first = await pauseTurn(service, scripted, botId);
  await eventually(async () => {
    scripted.reset();
    scripted.enqueue([text('Done.')]);
    const reader = await chat.send({ bot_id: botId, new_conversation: true });
    if (reader.status === 200) await reader.ended();
    return reader.status;
  }).toBe(200);
  await service.call('POST /api/v1/chat/stop', { body: { conversation_id: first.conversationId } });
});

it('a slot of a schedule fires, even if no turn may start', async () => {
  playAgent(scripted, [[text('Four.')]]);
  const agentId = await makeAgent(service, { schedule: '30 8 * * *' });
  await setLimits(service, { turns: 0 });
  expect((await trigger(service, agentId)).status).toBe(429);
  now = new Date('2026-11-15T08:30:00.400Z');
  const { recent } = await slotsOnRecord(service, agentId, 1);
  expect(recent).toMatchObject([{ outcome: 'fired', reason: null }]);
  expect(await endOfRun(service, recent[0]?.conversation_id ?? '')).toMatchObject({ status: 'completed' });
});

it('an evaluation runs to its end, even if no turn may start', async () => {
  playBot(scripted);
  const botId = await chat.bot();
  await scenario(botId, { turns: ['Hello', 'And now?'] });
  await setLimits(service, { turns: 0 });
  expect(await evaluate(botId)).toMatchObject({ status: 'completed', counts: { total: 1, passed: 1 } });
});
