import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hang, status, text, toolCall, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import {
  complete,
  giveTools,
  incomplete,
  makeAgent,
  playAgent,
  previewed,
  readConversation,
  runToItsEnd,
  startRun,
} from '../support/agents.ts';
import { askedBy, chatWith, idsOf, namesOf, scriptedEnvironment, upTo } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
const chat = chatWith(() => service);

beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({
    environment: { ...scriptedEnvironment(scripted), SVC_EGRESS_ALLOW: '127.0.0.1' },
  });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});
beforeEach(() => scripted.reset());

const add = (left: number, right: number) => toolCall('calculator', { expression: `${left} + ${right}` });
const stop = (conversationId: string) =>
  service.call('POST /api/v1/chat/stop', { body: { conversation_id: conversationId } });

async function calculatingAgent(fields: object = {}): Promise<string> {
  const agentId = await makeAgent(service, fields);
  await giveTools(service, agentId, ['calculator']);
  return agentId;
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

  it('gets the instructions of a run, and no greeting', async () => {
    const played = playAgent(scripted, [[text('Done.')]]);
    await runToItsEnd(service, await makeAgent(service, { chat_greeting: 'Hello, guest!' }));
    const system = askedBy(played.asked()[0])[0]?.content ?? '';
    expect(system).toContain('Work carefully.');
    expect(system).toContain('reply without calling a tool');
    expect(system).not.toContain('Hello, guest!');
    // A chat with the same bot is not a run.
    scripted.reset();
    playAgent(scripted, [[text('Hello!')]]);
    await chat.say({ bot_id: await makeAgent(service) });
    expect(askedBy(scripted.requests[0])[0]?.content).toBe('Work carefully.');
    expect(scripted.requests).toHaveLength(1);
  });

  it('ends when its iterations are used up, even if it would still call tools', async () => {
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

  it('is interrupted by a stop, and keeps the text so far', async () => {
    playAgent(scripted, [[text('One moment'), hang]]);
    const agentId = await makeAgent(service);
    const conversationId = await startRun(service, agentId);
    await previewed(chat, conversationId);
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

  it('fails with an error that says why without leaking details', async () => {
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
    const failed = (await chat.log(conversation.id)).find(({ event }) => event === 'turn.failed');
    const triggered = service.logged.find(
      (line) => line.includes('/trigger') && line.includes(failed?.data.error.request_id),
    );
    expect(triggered).toContain('"status":202');
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
