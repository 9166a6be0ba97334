import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDiscoverService } from '../../src/discover/discover.service.ts';
import { createGuardedLane } from '../../src/egress/guarded-lane.ts';
import { createTrustedLane } from '../../src/egress/trusted-lane.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createToolRegistry } from '../../src/tools/tool-registry.ts';
import { createHttpRequestType } from '../../src/tools/types/http-request/http-request-type.ts';
import { type OutsideServer, startOutsideServer } from '../egress/support.ts';
import { modelOn } from '../models/support.ts';
import { hang, open, status } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { scriptedEnvironment } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { drafting, say, weather } from './drafting.ts';

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

const { ask, lastMessages } = drafting(
  () => service,
  () => scripted,
);
const prose = 'GET https://api.example.com/weather?city=… gives the weather. Send your token as a bearer.';

describe('tools from prose', () => {
  it('are repaired until they are valid: the model is sent the errors', async () => {
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
        tools: [weather],
        notes: ['Ask for a token.', 'Fill in bearer_token before the tool is created. (get_weather)'],
      },
    });
    const [first, second, third] = lastMessages();
    expect(first).toContain(prose);
    expect(first).toContain('The goal: the weather');
    expect(second).toMatch(/not valid JSON/);
    expect(third).toContain(
      'tools.0.configuration.query names {{town}}, which is not one of the parameters: add it there, or remove it here',
    );
    expect(scripted.requests[0]?.body['response_format']).toBeUndefined();
    const { body } = await service.call('POST /api/v1/tools', {
      body: { ...weather, configuration: { ...weather.configuration, bearer_token: 'x' } },
    });
    expect(body.id).toEqual(expect.any(String));
  });

  it('have no secrets, and require approval before they change anything', async () => {
    const configuration = { ...weather.configuration, method: 'POST', bearer_token: 'sk-made-up' };
    scripted.enqueue(
      say(`\`\`\`json\n${JSON.stringify({ tools: [{ ...weather, configuration }], notes: [] })}\n\`\`\``),
    );
    const { body } = await ask('tools', { documentation: prose });
    expect(JSON.stringify(body)).not.toContain('sk-made-up');
    expect(body.tools[0].configuration).toMatchObject({ method: 'POST', approval: 'always' });
  });

  it('are a 502 when the model never gets it right, after three repairs', async () => {
    scripted.respondWith(say({ tools: [{ ...weather, tool_type: 'magic' }], notes: [] }));
    const answer = await ask('tools', { documentation: prose });
    expect(answer).toMatchObject({ status: 502, body: { success: false, code: 'UPSTREAM_FAILED' } });
    expect(answer.body.message).toContain('tools.0.tool_type must be http_request');
    expect(answer.body.details).toEqual([{ path: 'tools.0.tool_type', message: 'must be http_request' }]);
    expect(scripted.requests).toHaveLength(4);
  });

  it('may quote a part of an OpenAPI document', async () => {
    scripted.enqueue(say({ tools: [weather], notes: [] }));
    const documentation = `# Weather\n\n${prose}\n\n\`\`\`yaml\nopenapi: 3.1.0\npaths: {}\n\`\`\`\n\n- So: much\nfor that: it`;
    expect((await ask('tools', { documentation })).status).toBe(200);
    expect(lastMessages()[0]).toContain(documentation);
  });

  it('are a 502 when the model fails', async () => {
    scripted.respondWith([status(401, {}, { error: { message: 'no' } })]);
    for (const answer of [
      await ask('tools', { documentation: prose }),
      await ask('bots', { description: 'x' }),
    ]) {
      expect(answer).toMatchObject({
        status: 502,
        body: {
          code: 'UPSTREAM_FAILED',
          details: [{ code: 'MODEL_REJECTED', message: expect.stringContaining('API key') }],
        },
      });
    }
  });

  it('are a 502 when the time is up', async () => {
    scripted.respondWith([open, hang]);
    const lane = createTrustedLane();
    const discover = createDiscoverService({
      models: { ofBot: () => modelOn('chat', scripted, lane) },
      registry: createToolRegistry([createHttpRequestType({ lane: guarded, clock: systemClock })]),
      spender: { payingModel: (model) => model, check: async () => undefined },
      lane: guarded,
      bots: { checkNew: async () => undefined },
      readPage: async () => ({ title: '', markdown: '' }),
      openApiWorker: new URL('file:///unused'),
      timeLimitMs: 1_000,
    });
    const job = { signal: new AbortController().signal, onProgress: () => undefined };
    await expect(discover.tools('', { documentation: prose }, job)).rejects.toMatchObject({
      code: 'UPSTREAM_FAILED',
      message: 'The draft was not ready within 1 seconds.',
      details: [{ message: 'The draft was not ready within 1 seconds.' }],
    });
    // On a busy machine the time may be up before the request has arrived.
    for (const request of scripted.requests) expect(await request.closedEarly).toBe(true);
    await lane.close();
  });

  it('are refused with an account that is not a string', async () => {
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
    expect(answer.body).toEqual({ tools: [], notes: ['There is nothing here.'] });
    expect(lastMessages()[0]).toContain('gives the weather');
    expect(lastMessages()[0]).not.toMatch(/<p>|no\(\)/);
  });

  it.each([
    ['neither', {}, 'documentation'],
    ['both', { url: 'https://example.com', documentation: 'x' }, 'documentation'],
    ['nothing but space', { documentation: '  \n' }, 'documentation'],
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
    ['too much of a page', 200, 'text/html', `<html>${'x'.repeat(5 * 1024 * 1024)}`],
    ['too much', 200, 'text/plain', Buffer.alloc(32 * 1024 * 1024 + 1, 'x')],
    ['a broken OpenAPI document', 200, 'application/json', '{"openapi":"3.0.0","paths":'],
    ['nothing', 200, 'text/plain', ' '],
  ])('%s behind the address is a 502 that names the field', async (_name, code, type, content) => {
    site.answerWith((_request, response) => response.writeHead(code, { 'content-type': type }).end(content));
    expect(await ask('tools', { url: site.url })).toMatchObject({
      status: 502,
      body: { code: 'UPSTREAM_FAILED', details: [{ path: 'url', message: expect.any(String) }] },
    });
  });

  it('a private address is a 502 that names the field', async () => {
    expect(await ask('tools', { url: 'http://127.0.0.1:1/' })).toMatchObject({
      status: 502,
      body: {
        code: 'UPSTREAM_FAILED',
        details: [{ path: 'url', message: expect.stringContaining('could not be read') }],
      },
    });
  });
});
