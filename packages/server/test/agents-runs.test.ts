import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hang, status, text, toolCall, usage } from './scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model/server.ts';
import {
  complete,
  endOfRun,
  giveTools,
  incomplete,
  makeAgent,
  playAgent,
  readConversation,
  runToItsEnd,
  startRun,
  trigger,
} from './support/agents.ts';
import { askedBy, chatWith, eventually, idsOf, namesOf, scriptedEnvironment, upTo } from './support/chat.ts';
import { startTestApp, type TestApp } from './support/test-app.ts';

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
    environment: { ...scriptedEnvironment(scripted), SVC_EGRESS_ALLOW: '127.0.0.1' },
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

const add = (left: number, right: number) => toolCall('calculator', { expression: `${left} + ${right}` });
const stop = (conversationId: string) =>
  service.call('POST /api/v1/chat/stop', { body: { conversation_id: conversationId } });
/** A reader of the conversation sees the beginning of a reply. */
async function previewed(conversationId: string): Promise<void> {
  const reader = await chat.listen(conversationId);
  await reader.until(({ event }) => event === 'message.delta' || event === 'stream.snapshot');
  reader.close();
}
const asked = (count: number) => eventually(() => scripted.requests.length).toBe(count);

async function calculatingAgent(fields: object = {}): Promise<string> {
  const agentId = await makeAgent(service, fields);
  await giveTools(service, agentId, ['calculator']);
  return agentId;
}

/** One that must ask a person before it does anything. */
async function askingAgent(fields: object = {}): Promise<string> {
  const agentId = await makeAgent(service, fields);
  const parameters = { type: 'object', properties: {} };
  const configuration = { method: 'POST', url: 'http://127.0.0.1:9/x', parameters, approval: 'always' };
  await giveTools(service, agentId, [{ tool_type: 'http_request', name: 'pay', configuration }]);
  return agentId;
}

async function pausedRun(
  agentId: string,
): Promise<{ conversationId: string; approval: { id: string; expires_at: string } }> {
  const conversationId = await startRun(service, agentId);
  const pending = async () => (await service.call(`GET /api/v1/hitl?conversation_id=${conversationId}`)).body;
  await eventually(async () => (await pending()).length).toBe(1);
  return { conversationId, approval: (await pending())[0] };
}

describe('a run', () => {
  it('works with its tools until its goal is reached', async () => {
    playAgent(scripted, [[add(1, 2)], [add(3, 4)], [text('3 and 7.')]]);
    const conversation = await runToItsEnd(service, await calculatingAgent());
    expect(conversation).toMatchObject({
      status: 'completed',
      final_output: '3 and 7.',
      run: { iterations: 3 },
    });
    expect(conversation.messages.map(({ role }: { role: string }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ]);
    const log = await chat.log(conversation.id);
    expect(idsOf(log)).toEqual(upTo(log.length));
    const oneCall = ['message.completed', 'tool.started', 'tool.completed'];
    expect(namesOf(log)).toEqual([
      'turn.started',
      ...oneCall,
      ...oneCall,
      'message.completed',
      'turn.completed',
    ]);
    expect(log.at(-1)?.data.message_id).toBe(conversation.messages.at(-1).id);
  });

  it('knows what it is in', async () => {
    const played = playAgent(scripted, [[text('Done.')]]);
    await runToItsEnd(service, await makeAgent(service, { chat_greeting: 'Hello, guest!' }));
    const system = askedBy(played.asked()[0])[0]?.content ?? '';
    expect(system).toContain('Work carefully.');
    expect(system).toContain('reply without calling a tool');
    expect(system).not.toContain('Hello, guest!');
    // A chat with the same bot is no run.
    scripted.reset();
    playAgent(scripted, [[text('Hello!')]]);
    await chat.say({ bot_id: await makeAgent(service) });
    expect(askedBy(scripted.requests[0])[0]?.content).toBe('Work carefully.');
    expect(scripted.requests).toHaveLength(1);
  });

  it('ends when its iterations are used up, also when it would still call tools', async () => {
    playAgent(scripted, [[add(1, 1)]]);
    const agentId = await calculatingAgent({ max_iterations: 2 });
    const conversation = await runToItsEnd(service, agentId);
    expect(conversation).toMatchObject({ status: 'max_iterations_reached', final_output: null });
    expect(conversation.run).toMatchObject({
      iterations: 2,
      error: {
        code: 'MAX_ITERATIONS_REACHED',
        message: 'The agent used all of its 2 iterations before its goal was reached.',
      },
    });
    expect(scripted.requests).toHaveLength(2);
    const log = await chat.log(conversation.id);
    expect(log.at(-1)).toMatchObject({
      event: 'turn.failed',
      data: { error: { code: 'MAX_ITERATIONS_REACHED', retryable: false } },
    });
    // What the tools returned is there, and the next run may begin.
    expect(conversation.messages.at(-1)).toMatchObject({ role: 'tool' });
    playAgent(scripted, [[text('Done.')]]);
    expect(await runToItsEnd(service, agentId)).toMatchObject({ status: 'completed' });
  });

  it('is interrupted by a stop, and keeps what was said', async () => {
    playAgent(scripted, [[text('One moment'), hang]]);
    const agentId = await makeAgent(service);
    const conversationId = await startRun(service, agentId);
    await previewed(conversationId);
    expect((await stop(conversationId)).body).toEqual({ stopped: true });
    const conversation = await readConversation(service, conversationId);
    expect(conversation).toMatchObject({
      status: 'interrupted',
      final_output: null,
      run: { status: 'interrupted', error: null, ended_at: expect.any(String) },
    });
    expect(conversation.messages.at(-1)).toMatchObject({ role: 'assistant', interrupted: true });
    expect((await stop(conversationId)).body).toEqual({ stopped: false });
  });

  it('fails with what stopped it, in words that give nothing away', async () => {
    playAgent(scripted, [[status(401, {}, { error: { message: 'the key sk-canary is wrong' } })]]);
    const conversation = await runToItsEnd(service, await makeAgent(service));
    expect(conversation).toMatchObject({
      status: 'failed',
      final_output: null,
      run: {
        error: {
          code: 'MODEL_REJECTED',
          message: 'The model provider openai did not accept the API key for this model.',
        },
      },
    });
    expect(JSON.stringify(conversation)).not.toContain('sk-canary');
  });
});

describe('a run that waits for a person', () => {
  it('is paused, and goes on with the answer', async () => {
    playAgent(scripted, [[toolCall('pay', {})], [text('It was not allowed.')]]);
    const agentId = await askingAgent();
    const { conversationId, approval } = await pausedRun(agentId);
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
    const { conversationId } = await pausedRun(await askingAgent());
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
    const { conversationId, approval } = await pausedRun(await askingAgent(fields));
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
    await previewed(conversationId);
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
    const agentId = await calculatingAgent({ timeout_seconds: 60 });
    scripted.respondWith(() => {
      pass(60_000);
      return [add(1, 1)];
    });
    const ended = await runToItsEnd(service, agentId);
    expect(ended).toMatchObject({ status: 'timed_out', run: { iterations: 1 } });
    expect(scripted.requests).toHaveLength(1);
    // The call was never begun.
    const completed = (await chat.log(ended.id)).filter(({ event }) => event === 'tool.completed');
    expect(completed.map(({ data }) => data.status)).toEqual(['denied']);
  });
});

describe('a persistent conversation', () => {
  it('is gone on with by every run, and the agent remembers', async () => {
    const played = playAgent(scripted, [[text('Day one.')], [text('Day two.')]]);
    const agentId = await makeAgent(service, { persistent_conversation: true });
    const first = await runToItsEnd(service, agentId, { payload: 'First.' });
    const second = await runToItsEnd(service, agentId);
    expect(second.id).toBe(first.id);
    expect(second).toMatchObject({ final_output: 'Day two.', message_count: 4, run: { iterations: 1 } });
    expect(askedBy(played.asked()[1]).slice(1)).toEqual([
      { role: 'user', content: 'Count the stars.\n\nTrigger payload:\nFirst.' },
      { role: 'assistant', content: 'Day one.' },
      { role: 'user', content: 'Count the stars.' },
    ]);
    // The check is about this run alone.
    expect(askedBy(played.checks()[1]).at(-1)?.content).not.toContain('First.');
  });

  it('is summarised when it grows long, and a send-back is no turn of its own', async () => {
    const long = 'word '.repeat(9_000);
    const played = playAgent(
      scripted,
      [[text(long)], [text('Sent back, done.')], [text(long)]],
      [incomplete('x'), complete],
    );
    const agentId = await makeAgent(service, { persistent_conversation: true });
    const { id } = await runToItsEnd(service, agentId);
    await runToItsEnd(service, agentId);
    const isSummary = (request: { body: Record<string, unknown> }) =>
      askedBy(request)[0]?.content.startsWith('You keep notes on a conversation') ?? false;
    await eventually(() => scripted.requests.filter(isSummary).length).toBe(1);
    const told = askedBy(scripted.requests.find(isSummary)).at(-1)?.content ?? '';
    // The whole first run went into the notes, from its goal to its last words.
    expect(told).toContain('user: Count the stars.');
    expect(told).toContain('Sent back, done.');
    await endOfRun(service, id);
    expect(played.checks().length).toBe(3);
  });

  it('is not for agents that do not have it', async () => {
    playAgent(scripted, [[text('Done.')]]);
    const agentId = await makeAgent(service);
    const first = await runToItsEnd(service, agentId);
    const second = await runToItsEnd(service, agentId);
    expect(second.id).not.toBe(first.id);
    expect(second.message_count).toBe(2);
  });
});

describe('truncating the conversation of a run', () => {
  const truncate = (id: string, message_id: string) =>
    service.call(`POST /api/v1/conversations/${id}/truncate`, { body: { message_id } });

  it('takes its output along', async () => {
    playAgent(scripted, [[text('A secret.')]]);
    const ended = await runToItsEnd(service, await makeAgent(service));
    expect(await truncate(ended.id, ended.messages[0].id)).toMatchObject({ status: 200 });
    const left = await readConversation(service, ended.id);
    expect(left).toMatchObject({ status: 'completed', final_output: null, message_count: 1 });
    expect(JSON.stringify(left)).not.toContain('A secret.');
  });

  it('forgets the runs that began after the message', async () => {
    playAgent(scripted, [[text('First.')], [text('Second.')]]);
    const agentId = await makeAgent(service, { persistent_conversation: true });
    const first = await runToItsEnd(service, agentId);
    await runToItsEnd(service, agentId);
    expect(await truncate(first.id, first.messages.at(-1).id)).toMatchObject({ status: 200 });
    expect(await readConversation(service, first.id)).toMatchObject({
      final_output: 'First.',
      run: first.run,
    });
  });

  it('waits for a run, and ends one that waits for a person', async () => {
    playAgent(scripted, [[hang]]);
    const running = await startRun(service, await makeAgent(service));
    await asked(1);
    const { messages } = await readConversation(service, running);
    expect(await truncate(running, messages[0].id)).toMatchObject({ status: 409 });
    await stop(running);

    scripted.reset();
    playAgent(scripted, [[toolCall('pay', {})]]);
    const { conversationId } = await pausedRun(await askingAgent());
    const paused = await readConversation(service, conversationId);
    expect(await truncate(conversationId, paused.messages[0].id)).toMatchObject({
      status: 200,
      body: { cancelled_approvals: 1 },
    });
    expect(await readConversation(service, conversationId)).toMatchObject({ status: 'interrupted' });
  });
});

it('counts what a run used, its checks included', async () => {
  playAgent(
    scripted,
    [
      [text('Done.'), usage(100, 10)],
      [text('Now it is.'), usage(200, 20)],
    ],
    [
      [text(JSON.stringify(incomplete('a thing'))), usage(1_000, 1)],
      [text(JSON.stringify(complete)), usage(2_000, 2)],
    ],
  );
  const { id } = await runToItsEnd(service, await makeAgent(service));
  const stats = await service.call(`GET /api/v1/chat/stats?conversation_id=${id}`);
  expect(stats.body).toMatchObject({ turns: 1, input_tokens: 3_300, output_tokens: 33 });
  const last = (await chat.log(id)).at(-1);
  expect(last?.data.usage).toMatchObject({ input_tokens: 3_300, output_tokens: 33 });
});
