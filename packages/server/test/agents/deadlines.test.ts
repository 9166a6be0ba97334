import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hang, text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import {
  endOfRun,
  giveTools,
  makeAgent,
  makeAskingAgent,
  pausedRun,
  playAgent,
  previewed,
  readConversation,
  runToItsEnd,
  startRun,
  trigger,
} from '../support/agents.ts';
import { chatWith, scriptedEnvironment } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const day = 24 * 60 * 60 * 1000;
let scripted: ScriptedModel;
let service: TestApp;
let now: Date;
const chat = chatWith(() => service);
const pass = (milliseconds: number) => {
  now = new Date(now.getTime() + milliseconds);
};

beforeAll(async () => {
  now = new Date();
  scripted = await startScriptedModel();
  service = await startTestApp({
    environment: scriptedEnvironment(scripted),
    clock: { now: () => now },
  });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});
beforeEach(() => {
  scripted.reset();
  now = new Date();
});

const stop = (conversationId: string) =>
  service.call('POST /api/v1/chat/stop', { body: { conversation_id: conversationId } });

describe('a run that waits for a person', () => {
  it('is paused, and continues with the answer', async () => {
    playAgent(scripted, [[toolCall('pay', {})], [text('It was not allowed.')]]);
    const agentId = await makeAskingAgent(service);
    const { conversationId, approval } = await pausedRun(service, agentId);
    expect(await readConversation(service, conversationId)).toMatchObject({
      status: 'paused',
      run: { status: 'paused', iterations: 1, ended_at: null },
    });
    expect(await trigger(service, agentId)).toMatchObject({ status: 409, body: { code: 'RUN_IN_PROGRESS' } });
    const body = { action: 'deny', text: 'Too expensive.' };
    expect(await service.call(`POST /api/v1/hitl/${approval.id}/respond`, { body })).toMatchObject({
      status: 200,
    });
    expect(await endOfRun(service, conversationId)).toMatchObject({
      status: 'completed',
      final_output: 'It was not allowed.',
    });
  });

  it('is interrupted by a stop, and its approval is withdrawn', async () => {
    playAgent(scripted, [[toolCall('pay', {})]]);
    const { conversationId } = await pausedRun(service, await makeAskingAgent(service));
    expect((await stop(conversationId)).body).toEqual({ stopped: true });
    expect(await readConversation(service, conversationId)).toMatchObject({ status: 'interrupted' });
    const resolved = (await chat.log(conversationId)).find(({ event }) => event === 'approval.resolved');
    expect(resolved?.data.approval.status).toBe('cancelled');
  });

  it.each([
    ['its own timeout', { timeout_seconds: 3600 }, 60 * 60 * 1000],
    ['a day', {}, day],
  ])('ends with %s, and its approval with it', async (_what, fields, lasts) => {
    playAgent(scripted, [[toolCall('pay', {})], [text('Never said.')]]);
    const { conversationId, approval } = await pausedRun(service, await makeAskingAgent(service, fields));
    const { run } = await readConversation(service, conversationId);
    expect(approval.expires_at).toBe(run.deadline_at);
    expect(Date.parse(run.deadline_at) - Date.parse(run.started_at)).toBe(lasts);
    pass(lasts);
    const ended = await endOfRun(service, conversationId);
    expect(ended).toMatchObject({
      status: 'timed_out',
      final_output: null,
      run: { error: { code: 'RUN_TIMED_OUT' }, ended_at: now.toISOString() },
    });
    const resolved = (await chat.log(conversationId)).filter(({ event }) => event === 'approval.resolved');
    expect(resolved.map(({ data }) => data.approval.status)).toEqual(['expired']);
    // No step began after the deadline.
    expect(scripted.requests).toHaveLength(1);
  });
});

describe('a deadline', () => {
  it.each([
    ['its own timeout', { timeout_seconds: 90 }, 90_000],
    ['a day', {}, day],
  ])('of %s ends a run in the middle of a reply', async (_what, fields, lasts) => {
    playAgent(scripted, [[text('I begin'), hang]]);
    const conversationId = await startRun(service, await makeAgent(service, fields));
    await previewed(chat, conversationId);
    pass(lasts - 1);
    expect(await readConversation(service, conversationId)).toMatchObject({ status: 'running' });
    pass(1);
    const ended = await endOfRun(service, conversationId);
    expect(ended).toMatchObject({ status: 'timed_out', run: { error: { code: 'RUN_TIMED_OUT' } } });
    expect(ended.messages.at(-1)).toMatchObject({ role: 'assistant', interrupted: true });
    expect((await chat.log(conversationId)).at(-1)).toMatchObject({
      event: 'turn.failed',
      data: { error: { code: 'RUN_TIMED_OUT', retryable: true } },
    });
  });

  it('lets no further step begin', async () => {
    const agentId = await makeAgent(service, { timeout_seconds: 60 });
    await giveTools(service, agentId, ['calculator']);
    scripted.respondWith(() => {
      pass(60_000);
      return [toolCall('calculator', { expression: '1 + 1' })];
    });
    const ended = await runToItsEnd(service, agentId);
    expect(ended).toMatchObject({ status: 'timed_out', run: { iterations: 1 } });
    expect(scripted.requests).toHaveLength(1);
    // The call was never begun.
    const completed = (await chat.log(ended.id)).filter(({ event }) => event === 'tool.completed');
    expect(completed.map(({ data }) => data.status)).toEqual(['denied']);
  });
});
