import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { text, toolCall, toolCalls } from './scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model/server.ts';
import { chatWith, idsOf, namesOf, scriptedEnvironment, upTo } from './support/chat.ts';
import { startTestApp, type TestApp } from './support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
let botId: string;
const chat = chatWith(() => service);

beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});
beforeEach(async () => {
  scripted.reset();
  botId = await chat.bot({ enable_agent_tracing: true });
  await assign([{ tool_type: 'calculator' }, { tool_type: 'current_time' }]);
});

async function assign(assignments: object[]): Promise<void> {
  const answer = await service.call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments } });
  expect(answer).toMatchObject({ status: 200 });
}

/** What the model saw of the conversation in its nth request. */
const seen = (request: number) =>
  (scripted.requests[request]?.body['messages'] ?? []) as Record<string, unknown>[];

describe('a model that calls tools', () => {
  it('gets the results and goes on, and readers see every step', async () => {
    scripted.enqueue(
      [text('Let me see.'), toolCall('calculator', { expression: '6 * 7' }, 'provider-id')],
      [text('It is 42.')],
    );
    const turn = await chat.say({ bot_id: botId, message: 'What is 6 times 7?' });
    expect(namesOf(turn.events).filter((name) => name !== 'message.delta')).toEqual([
      'turn.started',
      'message.completed',
      'tool.started',
      'tool.completed',
      'message.completed',
      'turn.completed',
    ]);
    expect(idsOf(turn.events)).toEqual(upTo(6));
    const [started, completed] = ['tool.started', 'tool.completed'].map(
      (name) => turn.events.find(({ event }) => event === name)?.data,
    );
    expect(started).toEqual({
      tool_call_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      tool_name: 'calculator',
      tool_type: 'calculator',
      arguments: { expression: '6 * 7' },
    });
    expect(completed).toMatchObject({ tool_call_id: started.tool_call_id, status: 'ok' });
    expect(JSON.stringify(completed.result)).toContain('42');

    expect(seen(1).slice(-2)).toMatchObject([
      { role: 'assistant', content: 'Let me see.', tool_calls: [{ id: started.tool_call_id }] },
      { role: 'tool', tool_call_id: started.tool_call_id, content: expect.stringContaining('42') },
    ]);
    const { body } = await service.call(`GET /api/v1/conversations/${turn.conversationId}`);
    expect(body.messages.map((message: { role: string }) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
    expect(JSON.stringify(body)).not.toContain('provider-id');
  });

  it('may make several calls at once, and each is answered', async () => {
    scripted.enqueue(
      [
        toolCalls([
          { name: 'calculator', arguments: { expression: '1 + 1' } },
          { name: 'calculator', arguments: { expression: '2 + 2' } },
          { name: 'current_time', arguments: {} },
        ]),
      ],
      [text('Done.')],
    );
    const turn = await chat.say({ bot_id: botId });
    expect(
      turn.events.filter(({ event }) => event === 'tool.completed').map(({ data }) => data.status),
    ).toEqual(['ok', 'ok', 'ok']);
    expect(seen(1).filter(({ role }) => role === 'tool')).toHaveLength(3);
    const stats = await service.call(`GET /api/v1/chat/stats?conversation_id=${turn.conversationId}`);
    expect(stats.body).toMatchObject({ tool_calls: 3, turns: 1, messages: 6 });
  });

  it.each([
    ['a tool that is not there', 'wizard', {}, /no tool named wizard/],
    ['arguments that do not fit', 'calculator', { expression: 5 }, /do not fit/],
    ['arguments that are no JSON', 'calculator', '{"expression": ', /not a JSON object/],
    ['what the tool cannot do', 'calculator', { expression: '1 / 0' }, /./],
  ])('is told of %s and can go on', async (_what, name, given, told) => {
    scripted.enqueue([toolCall(name, given)], [text('Never mind.')]);
    const turn = await chat.say({ bot_id: botId });
    expect(turn.events.find(({ event }) => event === 'tool.completed')?.data.status).toBe('error');
    expect(turn.last.event).toBe('turn.completed');
    expect(seen(1).at(-1)?.['content']).toMatch(told);
  });

  it('is told only that it failed when the tool hides its errors', async () => {
    await assign([{ tool_type: 'calculator', tool_error_handling_mode: 'hide' }]);
    scripted.enqueue([toolCall('calculator', { expression: 'nonsense(' })], [text('Sorry.')]);
    const turn = await chat.say({ bot_id: botId });
    expect(seen(1).at(-1)?.['content']).toBe('The tool failed.');
    expect(turn.events.find(({ event }) => event === 'tool.completed')?.data.result).toEqual({
      error: 'The tool failed.',
    });
  });

  it('remembers its calls in the next turn', async () => {
    scripted.enqueue(
      [toolCall('calculator', { expression: '2 ^ 10' })],
      [text('1024.')],
      [text('As I said.')],
    );
    const first = await chat.say({ bot_id: botId, external_user_id: 'remembers' });
    await chat.say({ bot_id: botId, external_user_id: 'remembers', conversation_id: first.conversationId });
    expect(seen(2).map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
  });

  it('leaves a trace of model and tool steps', async () => {
    scripted.enqueue([toolCall('calculator', { expression: '40 + 2' })], [text('42.')]);
    const turn = await chat.say({ bot_id: botId });
    const { body } = await service.call(`GET /api/v1/conversations/${turn.conversationId}/trace`);
    expect(body.steps.map(({ type, name }: { type: string; name: string }) => `${type} ${name}`)).toEqual([
      'model openai/gpt-4o',
      'tool calculator',
      'model openai/gpt-4o',
    ]);
    expect(body.steps[1]).toMatchObject({ input: { expression: '40 + 2' }, status: 'ok' });
  });

  it('is offered nothing when the bot has no tools', async () => {
    await assign([]);
    scripted.enqueue([text('Hello.')]);
    await chat.say({ bot_id: botId });
    expect(scripted.requests[0]?.body['tools']).toBeUndefined();
  });

  it('reads the instructions for a tool with its description', async () => {
    await assign([{ tool_type: 'calculator', tool_instructions: 'Always round to two digits.' }]);
    scripted.enqueue([text('Hello.')]);
    await chat.say({ bot_id: botId });
    expect(JSON.stringify(scripted.requests[0]?.body['tools'])).toContain('Always round to two digits.');
  });
});
