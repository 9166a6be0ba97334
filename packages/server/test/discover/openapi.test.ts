import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OutsideServer, startOutsideServer } from '../egress/support.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { scriptedEnvironment } from '../support/chat.ts';
import { readOperations } from '../support/operations.ts';
import { sampleOf } from '../support/sample.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { discovering, draftAllHere } from './discovering.ts';

/** Real documents need no model: the scripted one has no script, so a request to it would fail. */
let service: TestApp;
let scripted: ScriptedModel;
let site: OutsideServer;
beforeAll(async () => {
  scripted = await startScriptedModel();
  site = await startOutsideServer();
  service = await startTestApp({
    environment: { ...scriptedEnvironment(scripted), SVC_EGRESS_ALLOW: '127.0.0.1' },
  });
});
beforeEach(() => {
  scripted.reset();
  site.received.length = 0;
});
afterEach(() => expect(scripted.requests).toEqual([]));
afterAll(async () => {
  await service.stop();
  await site.close();
  await scripted.close();
});

const require = createRequire(import.meta.url);
const example = (path: string) => readFileSync(require.resolve(`@readme/oas-examples/${path}`), 'utf8');
const { draft, create } = discovering(() => service);

describe('real OpenAPI documents', () => {
  it.each([
    ['3.0/json/petstore.json', 20],
    ['3.1/yaml/train-travel.yaml', 7],
    ['3.0/json/security.json', undefined],
    ['3.0/yaml/parameters-style.yaml', 20],
    ['3.0/json/circular-request-bodies.json', 4],
    ['3.1/json/readme.json', 20],
    ['3.0/yaml/star-trek.yaml', 20],
  ])('%s: every drafted tool can be created', async (path, count) => {
    const { tools } = draftAllHere(example(path), 20);
    if (count !== undefined) expect(tools).toHaveLength(count);
    expect(new Set(tools.map((tool) => tool.name)).size).toBe(tools.length);
    for (const tool of sampleOf(tools, 5)) await create(tool);
  });

  it('copies operations, parameters and authentication exactly', async () => {
    const { named, notes } = await draft({ documentation: example('3.0/json/petstore.json') });
    expect(named('getPetById')).toEqual({
      tool_type: 'http_request',
      name: 'getPetById',
      description: 'Find pet by ID\n\nReturns a single pet',
      configuration: {
        method: 'GET',
        url: 'http://petstore.swagger.io/v2/pet/{{petId}}',
        parameters: {
          type: 'object',
          properties: { petId: { type: 'integer', format: 'int64', description: 'ID of pet to return' } },
          required: ['petId'],
          additionalProperties: false,
        },
        auth_type: 'header',
        header_name: 'api_key',
        approval: 'never',
      },
    });
    expect(named('addPet').configuration).toMatchObject({
      method: 'POST',
      body_type: 'json',
      body: { name: '{{name}}', photoUrls: '{{photoUrls}}', category: '{{category}}' },
      approval: 'always',
      approval_title: 'Add a new pet to the store: {{name}}',
    });
    expect(named('addPet').configuration.parameters.required).toEqual(['name', 'photoUrls']);
    expect(notes.join('\n')).toMatch(/Fill in header_value before the tool is created\. \(.*getPetById/);
    expect(notes.join('\n')).toMatch(/status takes several values/);
  });

  it('resolves relative servers against the address it was read from', async () => {
    const document = { openapi: '3.0.3', servers: [{ url: '../v2/' }], paths: { '/a': { get: {} } } };
    site.answerWith((_request, response) => response.end(JSON.stringify(document)));
    const { tools } = await draft({ url: `${site.url}/docs/openapi.json` });
    expect(tools.map((tool) => tool.configuration.url)).toEqual([`${site.url}/v2/a`]);
    const { tools: unknown, notes } = await draft({ documentation: JSON.stringify(document) });
    expect(unknown[0]?.configuration.url).toMatch(/^https:\/\/server\.invalid/);
    expect(notes.join()).toMatch(/no complete server address/);
  });

  it('leaves out what this service would not accept back, with a note', async () => {
    const operation = (properties: string) =>
      `{"requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":${properties}}}}}}`;
    const documentation = `{"openapi":"3.0.0","servers":[{"url":"https://api.example.com"}],"paths":{"/a":{"post":${operation('{"__proto__":{"type":"string"}}')},"put":${operation('{"b":{"type":"string"}}')}}}}`;
    const { tools, notes } = await draft({ documentation });
    for (const tool of tools) await create(tool);
    expect(tools.map(({ configuration: { method } }) => method)).toEqual(['PUT']);
    expect(notes.join()).toMatch(/Not drafted: .*__proto__.* \(POST \/a\)/);
  });

  it('drafts every operation of this service, and one of them works', async () => {
    const operations = await readOperations(service);
    const address = `${service.url}/openapi.json`;
    const { tools, notes } = draftAllHere(await (await fetch(address)).text(), undefined, address);
    const drafted = tools.map(({ configuration: { method, url } }) => `${method} ${new URL(url).pathname}`);
    // No tool sends files.
    const taken = operations.filter(({ body, forms }) => body || !forms.some(({ maxFiles }) => maxFiles > 0));
    const wanted = taken.map(({ method, path }) =>
      `${method} ${path}`.replaceAll('{', '%7B%7B').replaceAll('}', '%7D%7D'),
    );
    expect(drafted.toSorted(), notes.join('\n')).toEqual(wanted.toSorted());
    for (const tool of sampleOf(tools, 10)) await create(tool);

    const { named } = await draft({ url: address, operations: ['createBot'] });
    const createBot = named('createBot');
    const configuration = { ...createBot.configuration, bearer_token: service.key };
    const { body } = await service.call('POST /api/v1/tools', { body: { ...createBot, configuration } });
    const parameters = { name: 'Made by a tool', system_prompt: 'Be kind.' };
    const test = await service.call(`POST /api/v1/tools/${body.id}/test`, { body: { parameters } });
    expect(test.body).toMatchObject({ success: true, result: { status: 201 } });
    const bots = (await service.call('GET /api/v1/bots')).body as { name: string }[];
    expect(bots.map((bot) => bot.name)).toContain('Made by a tool');
  });
});

describe('the slots for large bodies', () => {
  const openApi = JSON.stringify({ openapi: '3.0.0', paths: { '/a': { get: {} } } });
  const send = (body: string | ReadableStream) =>
    fetch(`${service.url}/api/v1/tools/discover`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.key}`,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body,
      // Required for a stream, but missing from the types.
      ...({ duplex: 'half' } as object),
    });

  it('are freed by bodies that turn out to be short', async () => {
    const held: (() => void)[] = [];
    // Two concurrent fetches take all slots of the workspace, so the bodies must not hold any.
    site.answerWith((_request, response) => {
      held.push(() => response.end(openApi));
      if (held.length === 2) for (const answer of held.splice(0)) answer();
    });
    const body = new Blob([JSON.stringify({ url: `${site.url}/openapi.json` })]);
    const answers = await Promise.all([1, 2, 3, 4].map(() => send(body.stream())));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('are freed by clients that disconnect while sending or waiting, which is not an internal error', async () => {
    const begin = (id: string) => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
      const headers = [
        'Host: x',
        `Authorization: Bearer ${service.key}`,
        `X-Request-Id: ${id}`,
        'Content-Type: application/json',
        'Content-Length: 2000000',
      ];
      const head = `POST /api/v1/tools/discover HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`;
      socket.write(`${head}{"documentation":"`);
      return socket;
    };
    // After this the service has seen what happened on the other connections.
    const roundTrips = async () => {
      for (let trip = 0; trip < 10; trip += 1) await fetch(`${service.url}/healthz`);
    };
    const sending = [begin('leaving-1'), begin('leaving-2')];
    await roundTrips();
    const waiting = begin('leaving-3');
    await roundTrips();
    waiting.destroy();
    await roundTrips();
    for (const socket of sending) socket.destroy();
    const answer = await send(JSON.stringify({ documentation: openApi + ' '.repeat(1_500_000) }));
    expect(answer.status).toBe(200);
    const lines = service.logged.filter((line) => line.includes('leaving-'));
    expect(lines.filter((line) => line.includes('The request failed'))).toEqual([]);
  });
});
