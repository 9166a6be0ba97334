import { randomUUID } from 'node:crypto';
import type { TraceStep } from '@svc/contract/conversations';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { type OutsideServer, startOutsideServer } from '../egress/support.ts';
import { status, text, toolCall, toolCalls, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { askedBy, canaryKey, chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import { makeMember } from '../support/members.ts';
import { asked, assignTools, claims, judge, score } from '../support/quality.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const secret = 'planted/secret+91cc7';
let scripted: ScriptedModel;
let outside: OutsideServer;
let service: TestApp;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  outside = await startOutsideServer();
  const environment = { ...scriptedEnvironment(scripted), SVC_EGRESS_ALLOW: '127.0.0.1' };
  service = await startTestApp({ environment });
});
beforeEach(() => {
  scripted.reset();
  outside.answerWith((_request, response) => response.end('hello'));
});
afterAll(async () => {
  await service.stop();
  await outside.close();
  await scripted.close();
});

const trace = async (conversationId: string): Promise<TraceStep[]> =>
  (await service.call(`GET /api/v1/conversations/${conversationId}/trace`)).body.steps;

async function stored(conversationId: string): Promise<Record<string, unknown>[]> {
  const { rows } = await service.database.acrossWorkspaces.execute(
    sql`select * from trace_steps where conversation_id = ${conversationId} order by id`,
  );
  return rows;
}

async function assignHttp(botId: string, configuration: object): Promise<void> {
  const body = {
    tool_type: 'http_request',
    name: 'lookup',
    description: 'x',
    configuration: {
      url: `${outside.url}/`,
      parameters: { type: 'object', properties: { q: { type: 'string' } } },
      ...configuration,
    },
  };
  const made = await service.call('POST /api/v1/tools', { body });
  expect(made.status).toBe(201);
  await assignTools(service.call, botId, [
    { tool_type: 'http_request', tool_configuration_id: made.body.id },
    { tool_type: 'calculator' },
  ]);
}

const everything = {
  enable_agent_tracing: true,
  enable_confidence_scoring: true,
  enable_response_validation: true,
};

describe('with everything on', () => {
  it('every step has its input, output, duration and usage', async () => {
    const bot = await chat.bot(everything);
    await assignHttp(bot, { approval: 'always' });
    judge(scripted, {
      replies: [
        [toolCall('lookup', { q: 'x' }), usage(100, 10)],
        [text('It says hello.'), usage(200, 20)],
      ],
      grades: [[text('{"score": 0.8765}'), usage(300, 3)]],
      verdicts: [claims('It says more.')],
    });
    const user = { bot_id: bot, external_user_id: randomUUID() };
    const paused = await chat.say(user);
    const listening = await chat.listen(paused.conversationId);
    const [approvalId] = paused.last.data.approval_ids;
    const answer = { action: 'approve_edited', edited_args: { q: 'y' } };
    expect((await service.call(`POST /api/v1/hitl/${approvalId}/respond`, { body: answer })).status).toBe(
      200,
    );
    await listening.until('turn.completed');
    listening.close();
    await eventually(async () => (await trace(paused.conversationId)).length).toBe(6);

    const steps = await trace(paused.conversationId);
    expect(steps.map(({ index, type, name }) => `${index} ${type} ${name}`)).toEqual([
      '0 model openai/gpt-4o',
      '1 approval lookup',
      '2 tool lookup',
      '3 model openai/gpt-4o',
      '4 confidence Confidence',
      '5 validation Response Validation',
    ]);
    for (const step of steps) {
      expect(step).toMatchObject({ turn_id: paused.turnId, status: 'ok', error: null });
      expect(step.duration_ms).toBeGreaterThanOrEqual(0);
      expect(Date.parse(step.started_at)).toBeGreaterThan(Date.now() - 60_000);
    }
    const [system, ...messages] = askedBy(asked(scripted).replies[0]);
    expect(steps[0]).toMatchObject({
      input: { system: system?.content, messages },
      output: { text: '', tool_calls: [{ name: 'lookup', arguments: { q: 'x' } }] },
      usage: { input_tokens: 100, cached_input_tokens: 0, output_tokens: 10 },
    });
    expect(steps[1]).toMatchObject({
      input: { arguments: { q: 'x' } },
      output: { status: 'approved_edited', edited_arguments: { q: 'y' }, resolved_by: expect.any(String) },
      usage: null,
    });
    expect(steps[2]).toMatchObject({ input: { q: 'y' }, usage: null });
    expect(JSON.stringify(steps[2]?.output)).toContain('hello');
    expect(steps[3]).toMatchObject({ output: { text: 'It says hello.' }, usage: { output_tokens: 20 } });
  });

  it('the API shows that grading and validation ran, and verdicts to whoever may read the workspace; operators see all', async () => {
    const bot = await chat.bot(everything);
    await assignTools(service.call, bot, [{ tool_type: 'calculator' }]);
    judge(scripted, {
      replies: [[toolCall('calculator', { expression: '6 * 7' })], [text('42, says Rome.')]],
      grades: [score(0.8765)],
      verdicts: [claims('Rome says it.')],
    });
    const turn = await chat.say({ bot_id: bot });
    await eventually(async () => (await trace(turn.conversationId)).at(-1)?.type).toBe('validation');
    const bare = { status: 'ok', input: null, output: null, usage: null, error: null };
    const output = { verdict: 'unsupported', unsupported_claims: 1 };
    expect((await trace(turn.conversationId)).slice(-2)).toMatchObject([bare, { ...bare, output }]);
    const key = await service.makeKey({ abilities: ['conversations:read'] });
    const { body } = await service.call(`GET /api/v1/conversations/${turn.conversationId}/trace`, { key });
    expect(body.steps.slice(-2)).toMatchObject([bare, bare]);
    // Viewers do not see quality anywhere.
    for (const [role, shown] of [
      ['viewer', null],
      ['operator', output],
    ] as const) {
      const member = await makeMember(service, { role });
      const seen = await member.call(`GET /api/v1/conversations/${turn.conversationId}/trace`);
      expect(seen.body.steps.at(-1)).toMatchObject({ ...bare, output: shown });
    }
    expect((await stored(turn.conversationId)).slice(-2)).toMatchObject([
      { type: 'confidence', output: { score: 0.8765, refused: false }, usage: { input_tokens: 10 } },
      {
        type: 'validation',
        output: { verdict: 'unsupported', unsupported_claims: ['Rome says it.'] },
        usage: { input_tokens: 10 },
      },
    ]);
  });

  it('a refused reply is withheld from the step of the model', async () => {
    const bot = await chat.bot(everything);
    judge(scripted, { replies: [[text('The moon is cheese.')]], grades: [score(0.12345)] });
    const turn = await chat.say({ bot_id: bot });
    const steps = await trace(turn.conversationId);
    expect(steps.map(({ type }) => type)).toEqual(['model', 'confidence']);
    expect(steps[0]?.output).toEqual({ withheld: 'What the model said was not sent.' });
    expect(JSON.stringify(steps)).not.toContain('cheese');
    expect(JSON.stringify(steps)).not.toContain('0.12345');
  });

  it('hidden text beside calls is withheld too', async () => {
    const bot = await chat.bot(everything);
    await assignTools(service.call, bot, [{ tool_type: 'calculator' }]);
    const first = [text('I reckon wildly.'), toolCall('calculator', { expression: '1' })];
    judge(scripted, { replies: [first, [text('1.')]] });
    const turn = await chat.say({ bot_id: bot });
    const [step] = await trace(turn.conversationId);
    expect(step?.output).toMatchObject({
      withheld: expect.any(String),
      tool_calls: [{ name: 'calculator' }],
    });
    expect(JSON.stringify(await trace(turn.conversationId))).not.toContain('reckon');
  });
});

it('without tracing there are no steps, whatever else is on', async () => {
  const bot = await chat.bot({ ...everything, enable_agent_tracing: false });
  await assignTools(service.call, bot, [{ tool_type: 'calculator' }]);
  judge(scripted, { replies: [[toolCall('calculator', { expression: '1' })], [text('1.')]] });
  const turn = await chat.say({ bot_id: bot });
  await eventually(() => asked(scripted).verdicts.length).toBe(1);
  const validated = sql`select 1 from quality_records where verdict is not null and conversation_id = ${turn.conversationId}`;
  await eventually(async () => (await service.database.acrossWorkspaces.execute(validated)).rows.length).toBe(
    1,
  );
  expect(await stored(turn.conversationId)).toEqual([]);
  expect(await trace(turn.conversationId)).toEqual([]);
});

describe('secrets', () => {
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    canaryKey,
  ];

  it('of tools and providers are in no step, whatever their origin', async () => {
    const bot = await chat.bot({
      ...everything,
      system_prompt: `The key is ${secret}, the other one ${canaryKey}.`,
    });
    await assignHttp(bot, { auth_type: 'bearer', bearer_token: secret });
    outside.answerWith((request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(request.headers)),
    );
    judge(scripted, {
      replies: [
        [toolCall('lookup', { q: `${secret} ${encodeURIComponent(secret)}` })],
        [text(`I know ${secret} and ${canaryKey} and ${Buffer.from(secret).toString('base64')}.`)],
      ],
      verdicts: [claims(`The key is ${secret}.`)],
    });
    const turn = await chat.say({ bot_id: bot, message: `Use ${secret}!` });
    await eventually(async () => (await stored(turn.conversationId)).at(-1)?.['type']).toBe('validation');
    expect(outside.received.at(-1)?.headers['authorization']).toBe(`Bearer ${secret}`);
    const steps = await stored(turn.conversationId);
    expect(steps.map(({ type }) => type)).toEqual(['model', 'tool', 'model', 'confidence', 'validation']);
    const kept = JSON.stringify([steps, service.logged.filter((line) => line.includes(turn.turnId))]);
    for (const form of forms) expect(kept).not.toContain(form);
    expect(kept).toContain('The key is ***, the other one ***.');
    expect(kept).toContain('"unsupported_claims":["The key is ***."]');
    const { rows } = await service.database.acrossWorkspaces.execute(
      sql`select unsupported_claims from quality_records where conversation_id = ${turn.conversationId}`,
    );
    expect(rows).toEqual([{ unsupported_claims: ['The key is ***.'] }]);
  });

  it('are in no step that failed', async () => {
    const bot = await chat.bot({ enable_agent_tracing: true, system_prompt: `Key: ${canaryKey}` });
    scripted.respondWith([status(400, {}, { error: { message: `bad key ${canaryKey}` } })]);
    const turn = await chat.say({ bot_id: bot });
    expect(turn.last.event).toBe('turn.failed');
    const steps = await stored(turn.conversationId);
    expect(steps).toMatchObject([{ type: 'model', status: 'error', input: { system: 'Key: ***' } }]);
    expect(JSON.stringify(steps)).not.toContain(canaryKey);
  });
});

it('a step that cannot be masked is not kept, and the turn continues', async () => {
  const bot = await chat.bot({ enable_agent_tracing: true });
  await assignHttp(bot, { auth_type: 'bearer', bearer_token: secret });
  const { body: assigned } = await service.call(`GET /api/v1/tools/bot?bot_id=${bot}`);
  const toolId = assigned[0].tool_configuration_id;
  await service.call(`PUT /api/v1/tools/${toolId}`, { body: { is_active: false } });
  await service.database.acrossWorkspaces.execute(
    sql`update tool_secrets set sealed = '\\x00' where tool_id = ${toolId}`,
  );
  judge(scripted, {});
  const turn = await chat.say({ bot_id: bot, message: `Use ${secret}!` });
  expect(turn.last.event).toBe('turn.completed');
  expect(await stored(turn.conversationId)).toMatchObject([
    { type: 'model', input: null, output: null, error: expect.stringContaining('could not be masked') },
  ]);
});

it('large values are truncated, with a note of how much is missing', async () => {
  const bot = await chat.bot({ enable_agent_tracing: true });
  const message = 'x'.repeat(32_000);
  judge(scripted, { replies: [[text('word '.repeat(8_000))]] });
  const turn = await chat.say({ bot_id: bot, message });
  const [step] = (await trace(turn.conversationId)) as unknown as [
    { input: { messages: { content: string }[] }; output: { text: string } },
  ];
  expect(step.input.messages[0]?.content).toBe(`${'x'.repeat(20_000)}… [12000 more characters cut]`);
  expect(step.output.text).toMatch(/… \[\d+ more characters cut\]$/);
  expect(step.output.text.length).toBeLessThan(20_100);
  // The conversation itself keeps the whole text.
  const { body } = await service.call(`GET /api/v1/conversations/${turn.conversationId}`);
  expect(body.messages[0].content).toBe(message);
});

it('a step as a whole is limited too', async () => {
  const bot = await chat.bot({ enable_agent_tracing: true });
  await assignTools(service.call, bot, [{ tool_type: 'calculator' }]);
  const expression = `1${' '.repeat(30_000)}+ 1`;
  const calls = Array.from({ length: 15 }, () => ({ name: 'calculator', arguments: { expression } }));
  judge(scripted, { replies: [[toolCalls(calls)], [text('2.')]] });
  const turn = await chat.say({ bot_id: bot });
  for (const step of await trace(turn.conversationId)) {
    expect(JSON.stringify(step).length).toBeLessThan(420_000);
  }
  expect(JSON.stringify((await trace(turn.conversationId))[0]?.output)).toContain('more entries cut');
});
