import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../src/clock.ts';
import { createDiscoverService } from '../src/discover/service.ts';
import { createGuardedLane } from '../src/egress/guarded-lane.ts';
import { createTrustedLane } from '../src/egress/trusted-lane.ts';
import { createToolRegistry } from '../src/tools/registry.ts';
import { createHttpRequestType } from '../src/tools/types/http-request/http-request-type.ts';
import { type OutsideServer, startOutsideServer } from './egress-support.ts';
import { modelOn } from './models-support.ts';
import { hang, open, status, text } from './scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model/server.ts';
import { scriptedEnvironment } from './support/chat.ts';
import { startTestApp, type TestApp } from './support/test-app.ts';

let service: TestApp;
let scripted: ScriptedModel;
let site: OutsideServer;
const guarded = createGuardedLane({ allow: [] });
beforeAll(async () => {
  scripted = await startScriptedModel();
  site = await startOutsideServer();
  service = await startTestApp({
    environment: { ...scriptedEnvironment(scripted), SVC_EGRESS_ALLOW: `127.0.0.1:${site.port}` },
  });
});
beforeEach(() => {
  scripted.reset();
  site.received.length = 0;
});
afterAll(async () => {
  await service.stop();
  await guarded.close();
  await site.close();
  await scripted.close();
});

const ask = (path: string, body: object) =>
  service.call(`POST /api/v1/${path}/discover`, { body, headers: { accept: 'application/json' } });
const say = (value: unknown) => [text(typeof value === 'string' ? value : JSON.stringify(value))];
/** What the model was asked, request by request: the text of the last message. */
const lastMessages = () =>
  scripted.requests.map(({ body }) => (body['messages'] as { content: string }[]).at(-1)?.content ?? '');

const weather = {
  tool_type: 'http_request',
  name: 'get_weather',
  description: 'Looks up the weather of a city.',
  configuration: {
    method: 'GET',
    url: 'https://api.example.com/weather',
    query: { city: '{{city}}' },
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    auth_type: 'bearer',
  },
};
const prose = 'GET https://api.example.com/weather?city=… gives the weather. Send your token as a bearer.';

describe('tools from prose', () => {
  it('are repaired until they are valid: the model is told what is wrong', async () => {
    const misnamed = { ...weather.configuration, query: { city: '{{town}}' } };
    scripted.enqueue(
      say('Here is your tool!'),
      say({ tools: [{ ...weather, configuration: misnamed }], notes: [] }),
      say({ tools: [weather], notes: ['Ask for a token.'] }),
    );
    const answer = await ask('tools', { documentation: prose, goal: 'the weather' });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        draft: {
          tools: [weather],
          notes: ['Ask for a token.', 'Fill in bearer_token before the tool is created. (get_weather)'],
        },
      },
    });
    const [first, second, third] = lastMessages();
    expect(first).toContain(prose);
    expect(first).toContain('The goal: the weather');
    expect(second).toMatch(/not valid JSON/);
    expect(third).toContain('tools.0.configuration.query names {{town}}, which is not one of parameters');
    expect(scripted.requests[0]?.body['response_format']).toMatchObject({ type: 'json_object' });
    const { body } = await service.call('POST /api/v1/tools', {
      body: { ...weather, configuration: { ...weather.configuration, bearer_token: 'x' } },
    });
    expect(body.id).toEqual(expect.any(String));
  });

  it('have no secrets of their own, and ask before they change anything', async () => {
    const configuration = { ...weather.configuration, method: 'POST', bearer_token: 'sk-made-up' };
    scripted.enqueue(
      say(`\`\`\`json\n${JSON.stringify({ tools: [{ ...weather, configuration }], notes: [] })}\n\`\`\``),
    );
    const { body } = await ask('tools', { documentation: prose });
    expect(JSON.stringify(body)).not.toContain('sk-made-up');
    expect(body.draft.tools[0].configuration).toMatchObject({ method: 'POST', approval: 'always' });
  });

  it('are a 502 when the model never gets it right, after three repairs', async () => {
    scripted.respondWith(say({ tools: [{ ...weather, tool_type: 'magic' }], notes: [] }));
    const answer = await ask('tools', { documentation: prose });
    expect(answer).toMatchObject({ status: 502, body: { success: false, code: 'UPSTREAM_FAILED' } });
    expect(answer.body.message).toContain('tools.0.tool_type must be http_request');
    expect(scripted.requests).toHaveLength(4);
  });

  it('may quote a piece of an OpenAPI document', async () => {
    scripted.enqueue(say({ tools: [weather], notes: [] }));
    const documentation = `# Weather\n\n${prose}\n\n\`\`\`yaml\nopenapi: 3.1.0\npaths: {}\n\`\`\`\n\n- So: much\nfor that: it`;
    expect((await ask('tools', { documentation })).status).toBe(200);
    expect(lastMessages()[0]).toContain(documentation);
  });

  it('are a 502 when the model fails', async () => {
    scripted.respondWith([status(401, {}, { error: { message: 'no' } })]);
    expect((await ask('tools', { documentation: prose })).status).toBe(502);
  });

  it('are a 502 when the time is up', async () => {
    scripted.respondWith([open, hang]);
    const lane = createTrustedLane();
    const discover = createDiscoverService({
      models: { resolve: () => modelOn('chat', scripted, lane), defaultModelId: () => 'openai/gpt-4o' },
      registry: createToolRegistry([createHttpRequestType({ lane: guarded, clock: systemClock })]),
      spender: { payingModel: (model) => model, check: async () => undefined },
      lane: guarded,
      readPage: async () => ({ title: '', markdown: '' }),
      openApiWorker: new URL('file:///unused'),
      timeLimitMs: 300,
    });
    const job = { signal: new AbortController().signal, onProgress: () => undefined };
    await expect(discover.tools('', { documentation: prose }, job)).rejects.toMatchObject({
      code: 'UPSTREAM_FAILED',
      message: 'The draft was not ready within 0.3 seconds.',
    });
    expect(await scripted.requests[0]?.closedEarly).toBe(true);
    await lane.close();
  });

  it('are refused with an account that is no text', async () => {
    const configuration = { ...weather.configuration, auth_type: 'basic', basic_username: 7 };
    scripted.respondWith(say({ tools: [{ ...weather, configuration }], notes: [] }));
    expect((await ask('tools', { documentation: prose })).body.message).toContain(
      'basic_username must be a string',
    );
  });

  it('come from the readable text of a page', async () => {
    site.answerWith((_request, response) =>
      response
        .setHeader('content-type', 'text/html')
        .end(
          `<html><head><title>Weather API</title><script>no()</script></head><body><p>${prose}</p></body></html>`,
        ),
    );
    scripted.enqueue(say({ tools: [], notes: ['There is nothing here.'] }));
    const answer = await ask('tools', { url: `${site.url}/docs` });
    expect(answer.body).toEqual({ draft: { tools: [], notes: ['There is nothing here.'] } });
    expect(lastMessages()[0]).toContain('gives the weather');
    expect(lastMessages()[0]).not.toMatch(/<p>|no\(\)/);
  });

  it.each([
    ['neither', {}, 'documentation'],
    ['both', { url: 'https://example.com', documentation: 'x' }, 'documentation'],
    ['nothing but space', { documentation: '  \n' }, 'documentation'],
    ['an address inside', { url: 'http://127.0.0.1:1/' }, 'url'],
    ['no address', { url: 'ftp://example.com' }, 'url'],
  ])('%s is a 400 that names the field', async (_name, body, path) => {
    expect(await ask('tools', body)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', details: [{ path }] },
    });
    expect(scripted.requests).toEqual([]);
  });

  it.each([
    ['a missing page', 404, 'text/html', 'not here'],
    ['a picture', 200, 'image/png', Buffer.from([0x89, 0x50, 0, 0, 1])],
    ['too much', 200, 'text/plain', 'x'.repeat(5 * 1024 * 1024)],
  ])('%s is a 400 that names the field', async (_name, code, type, content) => {
    site.answerWith((_request, response) => response.writeHead(code, { 'content-type': type }).end(content));
    expect(await ask('tools', { url: site.url })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', details: [{ path: 'url' }] },
    });
  });
});

const bot = {
  name: 'Hotel host',
  description: 'Answers questions of guests.',
  prompt_builder: { role: 'the host of a hotel', instructions: ['Breakfast is from 7 to 10.'] },
  chat_greeting: 'Welcome!',
  suggested_tools: [
    { tool_type: 'calculator', reason: 'Adds up a bill.' },
    { tool_type: 'http_request', reason: 'The weather.', configuration: weather.configuration },
  ],
  test_questions: ['One?', 'Two?', 'Three?', 'Four?', 'Five?'],
  notes: [],
};

describe('a bot from a description and sources', () => {
  it('has a prompt that is assembled from its builder, and can be created', async () => {
    site.answerWith((_request, response) => response.end('Check-out is at 11.'));
    scripted.enqueue(say(bot));
    const answer = await ask('bots', {
      description: 'A host for our hotel',
      sources: [`${site.url}/facts`, 'Breakfast is from 7 to 10.'],
    });
    const prompt = 'You are the host of a hotel.\n\n## Instructions\n- Breakfast is from 7 to 10.';
    expect(answer).toMatchObject({ status: 200, body: { draft: { ...bot, system_prompt: prompt } } });
    expect(lastMessages()[0]).toMatch(/A host for our hotel[^]*Check-out is at 11[^]*Breakfast is from 7/);
    const { suggested_tools: _tools, test_questions: _questions, notes: _notes, ...body } = answer.body.draft;
    expect((await service.call('POST /api/v1/bots', { body })).status).toBe(201);
  });

  it('is repaired: unknown tools, faulty configurations, too few questions', async () => {
    scripted.enqueue(
      say({ ...bot, test_questions: ['One?'], prompt_builder: { rolle: 'x' } }),
      say({ ...bot, suggested_tools: [{ tool_type: 'crystal_ball', reason: 'x' }] }),
      say({
        ...bot,
        suggested_tools: [{ tool_type: 'http_request', reason: 'x', configuration: { url: 'no' } }],
      }),
      say(bot),
    );
    expect((await ask('bots', { description: 'x' })).status).toBe(200);
    const [, second, third, fourth] = lastMessages();
    expect(second).toContain('test_questions must have at least 5 entries');
    expect(second).toContain('prompt_builder.rolle is not a known field');
    expect(third).toMatch(/suggested_tools\.0\.tool_type must be one of http_request, /);
    expect(fourth).toContain('suggested_tools.0.configuration.url must start with http');
  });

  it('is a 502 when the model never gets it right', async () => {
    scripted.respondWith(say({ ...bot, prompt_builder: {} }));
    expect(await ask('bots', { description: 'x' })).toMatchObject({
      status: 502,
      body: { code: 'UPSTREAM_FAILED' },
    });
  });

  it('names the source that cannot be read', async () => {
    const sources = ['a text', 'http://127.0.0.1:1/inside'];
    expect(await ask('bots', { description: 'x', sources })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'sources.1' }] },
    });
  });
});
