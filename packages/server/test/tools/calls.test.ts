import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { text, toolCall, toolCalls } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, idsOf, namesOf, scriptedEnvironment, upTo } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
let botId: string;
const chat = chatWith(() => service);

beforeAll(async () => {
  scripted = await startScriptedModel();
  const anthropic = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: scripted.url('anthropic') };
  service = await startTestApp({ environment: { ...scriptedEnvironment(scripted), ...anthropic } });
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
  it('gets the results and continues, and readers see every step', async () => {
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

  it('may make several calls in one reply, and each is answered', async () => {
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
    ['an unknown tool', 'wizard', {}, /no tool named wizard/],
    ['arguments that do not fit', 'calculator', { expression: 5 }, /do not fit/],
    ['arguments that are not JSON', 'calculator', '{"expression": ', /not a JSON object/],
    ['what the tool cannot do', 'calculator', { expression: '1 / 0' }, /./],
  ])('gets an error for %s and can continue', async (_what, name, given, expected) => {
    scripted.enqueue([toolCall(name, given)], [text('Never mind.')]);
    const turn = await chat.say({ bot_id: botId });
    expect(turn.events.find(({ event }) => event === 'tool.completed')?.data.status).toBe('error');
    expect(turn.last.event).toBe('turn.completed');
    expect(seen(1).at(-1)?.['content']).toMatch(expected);
  });

  it('sends its provider which calls failed, in the turn and in later ones', async () => {
    botId = await chat.bot({ model: 'anthropic/claude-sonnet-4-5' });
    await assign([{ tool_type: 'calculator' }]);
    const expressions = ['1 / 0', '6 * 7'];
    const calls = expressions.map((expression) => ({ name: 'calculator', arguments: { expression } }));
    scripted.enqueue([toolCalls(calls)], [text('It is 42.')], [text('You are welcome.')]);
    const ann = { external_user_id: 'ann' };
    const { conversationId: conversation_id } = await chat.say({ bot_id: botId, ...ann });
    // This forces the conversation to be read from the database again.
    const written = { body: { content: 'Well done.' } };
    expect(
      await service.call(`POST /api/v1/conversations/${conversation_id}/messages`, written),
    ).toMatchObject({
      status: 201,
    });
    await chat.say({ conversation_id, message: 'Thanks.', ...ann });
    for (const request of [1, 2]) {
      const results = seen(request)
        .flatMap(({ content }) => content as { type: string; is_error?: boolean }[])
        .filter(({ type }) => type === 'tool_result');
      expect(results.map(({ is_error: isError }) => isError ?? false)).toEqual([true, false]);
    }
  });

  it.each([
    ['a failure', 'calculator', { expression: '1 / 0' }, /Division by zero/],
    ['arguments that do not fit', 'calculator', { expression: 5 }, /do not fit: expression/],
    ['arguments that are not JSON', 'calculator', '{"expression": ', /not a JSON object/],
    ['a server that cannot be reached', 'ask_host', {}, /10\.11\.12\.13/],
  ])('learns only that it failed when the tool hides its errors: %s', async (_what, name, given, cause) => {
    const configuration = { url: 'http://10.11.12.13/secret-path' };
    const host = { tool_type: 'http_request', name: 'ask_host', description: 'x', configuration };
    const tool = await service.call('POST /api/v1/tools', { body: host });
    const hide = { tool_error_handling_mode: 'hide' };
    await assign([
      { tool_type: 'calculator', ...hide },
      { tool_type: 'http_request', tool_configuration_id: tool.body.id, ...hide },
    ]);
    scripted.enqueue([toolCall(name, given)], [text('Sorry.')]);
    const turn = await chat.say({ bot_id: botId });
    expect(seen(1).at(-1)?.['content']).toBe('The tool failed.');
    const completed = turn.events.find(({ event }) => event === 'tool.completed');
    expect(completed?.data).toMatchObject({ status: 'error', result: { error: 'The tool failed.' } });
    const { body: read } = await service.call(`GET /api/v1/conversations/${turn.conversationId}`);
    expect(JSON.stringify([turn.events, read])).not.toMatch(cause);
    const { body: trace } = await service.call(`GET /api/v1/conversations/${turn.conversationId}/trace`);
    expect(trace.steps[1]).toMatchObject({
      type: 'tool',
      status: 'error',
      error: expect.stringMatching(cause),
    });
    expect(JSON.stringify(trace.steps[1].output)).toMatch(cause);
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

  it('gets the instructions for a tool with its description', async () => {
    await assign([{ tool_type: 'calculator', tool_instructions: 'Always round to two digits.' }]);
    scripted.enqueue([text('Hello.')]);
    await chat.say({ bot_id: botId });
    expect(JSON.stringify(scripted.requests[0]?.body['tools'])).toContain('Always round to two digits.');
  });
});

describe('a model that keeps calling tools', () => {
  const again = toolCall('calculator', { expression: '1 + 1' });
  /** Calls a tool as long as one is offered. */
  const whileOffered = ({ body }: { body: Record<string, unknown> }) =>
    body['tools'] ? [again] : [text('It is 2.')];
  const systemOf = (request: number) => String(seen(request)[0]?.['content']);
  const countOf = (events: { event: string }[], name: string) =>
    events.filter(({ event }) => event === name).length;

  async function limited(max_steps: number, more: object = {}): Promise<void> {
    botId = await chat.bot({ enable_agent_tracing: true, max_steps, ...more });
    await assign([{ tool_type: 'calculator' }]);
  }

  it.each([{}, { bot_type: 'agent', agent_goal: 'Add.' }])(
    'must answer with its last reply, without tools and with the reason: %j',
    async (more) => {
      await limited(3, more);
      scripted.respondWith(whileOffered);
      const turn = await chat.say({ bot_id: botId });
      expect(scripted.requests).toHaveLength(3);
      expect(scripted.requests.map(({ body }) => body['tools'] !== undefined)).toEqual([true, true, false]);
      expect(systemOf(1)).toBe('Be kind.');
      expect(systemOf(2)).toMatch(/^Be kind\.\n\n.*last reply.*no tool can be called.*Answer the user now/s);
      expect(countOf(turn.events, 'tool.completed')).toBe(2);
      expect(turn.events.at(-2)?.data.message).toMatchObject({ content: 'It is 2.', tool_calls: [] });
      expect(turn.last.event).toBe('turn.completed');
    },
  );

  it('has all its steps again for the next message', async () => {
    await limited(2);
    scripted.respondWith(whileOffered);
    for (const round of [1, 2]) {
      const turn = await chat.say({ bot_id: botId, external_user_id: 'again' });
      expect(scripted.requests).toHaveLength(2 * round);
      expect(countOf(turn.events, 'tool.completed')).toBe(1);
    }
  });

  it.each([
    ['with its text', [text('Half of it.'), again], 'Half of it.'],
    ['with a plain sentence', [again], expect.stringMatching(/^I could not finish this/)],
  ])('cannot continue by calling a tool anyway: the turn ends %s', async (_how, script, expected) => {
    await limited(2);
    scripted.respondWith(script);
    const turn = await chat.say({ bot_id: botId });
    expect(scripted.requests).toHaveLength(2);
    expect(turn.last.event).toBe('turn.completed');
    expect(countOf(turn.events, 'tool.started')).toBe(1);
    expect(turn.events.at(-2)?.data.message).toMatchObject({ content: expected, tool_calls: [] });
    const stats = await service.call(`GET /api/v1/chat/stats?conversation_id=${turn.conversationId}`);
    expect(stats.body).toMatchObject({ tool_calls: 1 });
    const { body: trace } = await service.call(`GET /api/v1/conversations/${turn.conversationId}/trace`);
    expect(trace.steps.at(-1).output.tool_calls_not_run).toEqual([
      { name: 'calculator', arguments: { expression: '1 + 1' } },
    ]);
  });

  it('has one reply and no tools when one step is allowed', async () => {
    await limited(1);
    scripted.respondWith(whileOffered);
    await chat.say({ bot_id: botId });
    expect(scripted.requests).toHaveLength(1);
    expect(systemOf(0)).toMatch(/last reply/);
  });

  it('has 50 replies by default', async () => {
    await assign([{ tool_type: 'calculator' }]);
    scripted.respondWith(whileOffered);
    const turn = await chat.say({ bot_id: botId });
    expect(scripted.requests).toHaveLength(50);
    expect(turn.last.event).toBe('turn.completed');
  });

  it('keeps its own text, without a default sentence, when it is graded', async () => {
    await limited(1, { enable_confidence_scoring: true });
    scripted.enqueue([text('Two.'), again], [text('{"score":0.9}')]);
    const turn = await chat.say({ bot_id: botId });
    expect(turn.text).toBe('Two.');
  });
});
