import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OutsideServer, startOutsideServer } from '../egress/support.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { scriptedEnvironment } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { drafting, say, weather } from './drafting.ts';

let service: TestApp;
let scripted: ScriptedModel;
let site: OutsideServer;
beforeAll(async () => {
  scripted = await startScriptedModel();
  site = await startOutsideServer();
  service = await startTestApp({
    environment: { ...scriptedEnvironment(scripted), SVC_EGRESS_ALLOW: `127.0.0.1:${site.port}` },
  });
});
beforeEach(() => scripted.reset());
afterAll(async () => {
  await service.stop();
  await site.close();
  await scripted.close();
});

const { ask, lastMessages } = drafting(
  () => service,
  () => scripted,
);
const bot = {
  name: 'Hotel host',
  description: 'Answers questions of guests.',
  prompt_builder: { role: 'the host of a hotel', instructions: ['Breakfast is from 7 to 10.'] },
  chat_greeting: 'Welcome!',
};
const suggested = [
  { tool_type: 'calculator', name: 'bill', description: 'Adds up a bill.', configuration: {} },
  { tool_type: 'http_request', name: 'weather', description: 'x', configuration: weather.configuration },
];
const questions = ['One?', 'Two?', 'Three?', 'Four?', 'Five?'];
const beside = { suggested_tools: suggested, test_questions: questions, notes: ['Check the times.'] };
const prompt = 'You are the host of a hotel.\n\n## Instructions\n- Breakfast is from 7 to 10.';

/** Creates the bot from the draft, as a client would. */
async function createdFrom(draft: object): Promise<Record<string, unknown>> {
  const { status: code, body } = await service.call('POST /api/v1/bots', { body: draft });
  expect(code, JSON.stringify(body)).toBe(201);
  return (await service.call(`GET /api/v1/bots/${body.id}`)).body;
}

describe('a bot from a description and sources', () => {
  it('has a prompt that is assembled from its builder, and can be created as it is', async () => {
    site.answerWith((_request, response) => response.end('Check-out is at 11.'));
    scripted.enqueue(say({ ...bot, ...beside }));
    const answer = await ask('bots', {
      description: 'A host for our hotel',
      sources: [`${site.url}/facts`, 'Breakfast is from 7 to 10.'],
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      draft: { ...bot, system_prompt: prompt },
      ...beside,
      notes: ['Check the times.', 'Fill in bearer_token before the tool is created. (weather)'],
    });
    expect(lastMessages()[0]).toMatch(/A host for our hotel[^]*Check-out is at 11[^]*Breakfast is from 7/);
    expect(await createdFrom(answer.body.draft)).toMatchObject({ name: 'Hotel host', system_prompt: prompt });
    for (const tool of answer.body.suggested_tools) {
      const secret = tool.name === 'weather' ? { bearer_token: 'x' } : {};
      const body = { ...tool, configuration: { ...tool.configuration, ...secret } };
      expect((await service.call('POST /api/v1/tools', { body })).status).toBe(201);
    }
  });

  it('may be an agent', async () => {
    const agent = {
      bot_type: 'agent',
      agent_goal: 'Sum up the day.',
      schedule: 'TZ=Europe/Berlin 0 18 * * *',
    };
    const output_config = {
      format: 'json',
      schema: { type: 'object' },
      webhook_url: 'https://a.example.com',
    };
    scripted.enqueue(say({ ...bot, ...beside, ...agent, output_config, max_iterations: 5 }));
    const { body } = await ask('bots', { description: 'x' });
    expect(body.draft).toMatchObject({ ...agent, max_iterations: 5 });
    expect(body.draft.output_config).toEqual({ format: 'json', schema: { type: 'object' } });
    expect(body.notes.join('\n')).toContain('its owner has to decide it. (output_config.webhook_url)');
    expect(await createdFrom(body.draft)).toMatchObject(agent);
  });

  it.each<[string, object, string]>([
    ['schedule', { schedule: 'every now and then' }, 'schedule'],
    ['a day that never comes', { bot_type: 'agent', schedule: '0 0 31 2 *' }, 'schedule'],
    ['output_config', { output_config: { format: 'json', schema: { $ref: 'https://x' } } }, 'output_config'],
    ['bot_type', { bot_type: 'wizard' }, 'bot_type'],
    ['max_iterations', { max_iterations: 'many' }, 'max_iterations'],
    ['temperature', { temperature: 9 }, 'temperature'],
    ['chat_greeting', { chat_greeting: 'x'.repeat(2_001) }, 'chat_greeting'],
    ['description', { description: ['x'] }, 'description'],
    ['settings', { settings: { model: 'nobody/knows', colour: 'red' } }, 'model'],
    ['encoded settings', { settings: '{"tts_provider":"elevenlabs","tts_voice":"Rachel"}' }, 'tts_voice'],
    ['status', { status: 'inactive' }, 'status'],
    ['approval_notice', { approval_notice: { webhook_url: 'https://a.example.com' } }, 'approval_notice'],
    ['metadata', { metadata: { a: 1 } }, 'metadata'],
    ['no field of a bot', { personality: { warmth: 7 } }, 'personality'],
    ['part of the prompt', { prompt_builder: { ...bot.prompt_builder, rolle: 'x' } }, 'prompt_builder.rolle'],
  ])('is drafted without what no bot can have, with a note: %s', async (_name, extra, named) => {
    scripted.enqueue(say({ ...bot, ...beside, ...extra }));
    const { body } = await ask('bots', { description: 'x' });
    expect(body.notes.join('\n')).toMatch(new RegExp(`Left out of the draft.*${named}`));
    expect(await createdFrom(body.draft)).toMatchObject({ system_prompt: prompt, status: 'active' });
  });

  it.each<[string, object]>([
    ['encoded', { prompt_builder: JSON.stringify(bot.prompt_builder) }],
    [
      'with one instruction',
      { prompt_builder: { ...bot.prompt_builder, instructions: 'Breakfast is from 7 to 10.' } },
    ],
    ['in words only', { prompt_builder: undefined, system_prompt: prompt }],
  ])('may have its prompt %s', async (_name, written) => {
    scripted.enqueue(say({ ...bot, ...beside, ...written }));
    const { body } = await ask('bots', { description: 'x' });
    expect(await createdFrom(body.draft)).toMatchObject({ system_prompt: prompt });
  });

  it('suggests only existing tools, and leaves invalid configurations to the owner', async () => {
    const suggested_tools = [
      { tool_type: 'crystal_ball', reason: 'x' },
      { tool_type: 'http_request', name: 'broken', reason: 'Asks.', configuration: { url: 'no' } },
      { tool_type: 'send_email', reason: 'Writes.' },
      'nothing',
      { tool_type: 'http_request', configuration: { ...weather.configuration, method: 'DELETE' } },
    ];
    scripted.enqueue(say({ ...bot, suggested_tools, test_questions: 'none' }));
    const { body } = await ask('bots', { description: 'x' });
    expect(body.suggested_tools).toEqual([
      { tool_type: 'http_request', name: 'broken', description: 'Asks.', configuration: {} },
      { tool_type: 'send_email', name: 'send_email', description: 'Writes.', configuration: {} },
      {
        tool_type: 'http_request',
        name: 'http_request',
        description: '',
        configuration: { ...weather.configuration, method: 'DELETE', approval: 'always' },
      },
    ]);
    expect(body.test_questions).toEqual([]);
    expect(body.notes.join('\n')).toMatch(/no such type\. \(crystal_ball, no type\)/);
    expect(body.notes.join('\n')).toMatch(/Its configuration is left out: configuration\.url .* \(broken\)/);
    expect(body.notes.join('\n')).toMatch(/It needs a configuration: .* \(send_email\)/);
  });

  it('is repaired: the model is sent the validation errors', async () => {
    scripted.enqueue(
      say([]),
      say({ ...bot, name: '' }),
      say({ ...bot, prompt_builder: { rolle: 'x' } }),
      say(bot),
    );
    expect((await ask('bots', { description: 'x' })).status).toBe(200);
    const [, second, third, fourth] = lastMessages();
    expect(second).toContain('The answer must be an object');
    expect(third).toContain('name must');
    expect(fourth).toContain('prompt_builder must say who the bot is');
  });

  it.each<[string, string, string]>([
    ['a character that cannot be stored', JSON.stringify({ role: 'a\0b' }), 'prompt_builder.role'],
    ['half a pair', '{"role":"a\\ud800b"}', 'prompt_builder.role'],
    ['a prototype', '{"role":"x","__proto__":{}}', 'prompt_builder'],
  ])('is repaired when its encoded prompt has what no body may have: %s', async (_name, builder, named) => {
    scripted.enqueue(say({ ...bot, ...beside, prompt_builder: builder }));
    scripted.enqueue(say({ ...bot, ...beside }));
    const { body } = await ask('bots', { description: 'x' });
    expect(lastMessages().at(-1)).toContain(named);
    expect(await createdFrom(body.draft)).toMatchObject({ system_prompt: prompt });
  });

  it.each(['{"__proto__":{"type":"string"}}', '{"constructor":{"prototype":{}}}'])(
    'is repaired when a schema has a key that no body may have: %s',
    async (properties) => {
      const agent = { ...bot, ...beside, bot_type: 'agent', agent_goal: 'x' };
      const output = `{"format":"json","schema":{"type":"object","properties":${properties}}}`;
      scripted.enqueue(say(JSON.stringify(agent).replace(/}$/, `,"output_config":${output}}`)));
      scripted.enqueue(say({ ...agent, output_config: { format: 'json', schema: { type: 'object' } } }));
      const { body } = await ask('bots', { description: 'x' });
      expect(lastMessages().at(-1)).toContain('constructor.prototype');
      expect(await createdFrom(body.draft)).toMatchObject({ bot_type: 'agent' });
    },
  );

  it('is a 502 when the model never gets it right', async () => {
    scripted.respondWith(say({ ...bot, prompt_builder: {} }));
    expect(await ask('bots', { description: 'x' })).toMatchObject({
      status: 502,
      body: { code: 'UPSTREAM_FAILED', details: [{ path: 'prompt_builder' }] },
    });
  });

  it('names the source that cannot be read', async () => {
    const sources = ['a text', 'http://127.0.0.1:1/inside'];
    expect(await ask('bots', { description: 'x', sources })).toMatchObject({
      status: 502,
      body: { code: 'UPSTREAM_FAILED', details: [{ path: 'sources.1' }] },
    });
  });
});
