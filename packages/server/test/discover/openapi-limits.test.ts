import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DocumentSource } from '../../src/discover/openapi/draft-document.ts';
import { createOpenApiReader } from '../../src/discover/openapi/openapi-reader.ts';
import { type OutsideServer, startOutsideServer } from '../egress/support.ts';
import { text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { scriptedEnvironment } from '../support/chat.ts';
import { holdingOf } from '../support/event-loop.ts';
import { readGithubDocument } from '../support/github-openapi.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { discovering } from './discovering.ts';

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
afterAll(async () => {
  await service.stop();
  await site.close();
  await scripted.close();
});

const { ask, draft, discover, create } = discovering(() => service);

/** The largest accepted document: every operation has fields whose defaults are at the end of long enums. */
function largeDocument(bytes: number): string {
  const values = Array.from({ length: 3_000 }, (_, index) => `value ${index}`);
  const field = { type: 'string', enum: values, default: values.at(-1) };
  const properties = Object.fromEntries(
    Array.from({ length: 150 }, (_, index) => [`f${index}`, { $ref: '#/components/schemas/Field' }]),
  );
  const schema = { type: 'object', properties };
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/All' } } };
  const paths = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`/p${index}`, { post: { requestBody: { content } } }]),
  );
  const document = {
    openapi: '3.0.3',
    components: { schemas: { Field: field, All: schema } },
    paths,
    'x-rest': '',
  };
  document['x-rest'] = 'x'.repeat(bytes - JSON.stringify(document).length - 10);
  return JSON.stringify(document);
}

const maxBytes = 32 * 1024 * 1024;
const large = largeDocument(maxBytes);

const sourceOf = (written: string): DocumentSource => ({
  bytes: Buffer.from(written),
  charset: 'utf-8',
  url: undefined,
  field: 'url',
  goal: undefined,
  operations: undefined,
});

describe("GitHub's document of 13 MB", { timeout: 300_000 }, () => {
  const github = readGithubDocument();
  beforeAll(() => site.answerWith((_request, response) => response.end(github)));

  it('lists its operations without a goal', async () => {
    const { tools, notes, operations } = await ask({ url: `${site.url}/github.json` });
    expect(tools).toEqual([]);
    expect(notes[0]).toMatch(/^The document has 1223 operations/);
    expect(operations).toHaveLength(1_223);
    expect(operations).toContainEqual({
      method: 'POST',
      path: '/repos/{owner}/{repo}/issues',
      operation_id: 'issues/create',
      summary: 'Create an issue',
    });
  });

  it('gives the tools for a goal, which can be created', async () => {
    const { tools } = await ask({ url: `${site.url}/github.json`, goal: 'open an issue in a repository' });
    expect(tools.length).toBeLessThanOrEqual(20);
    const [first] = tools;
    expect(first).toMatchObject({
      tool_type: 'http_request',
      name: 'issues_create',
      configuration: {
        method: 'POST',
        url: 'https://api.github.com/repos/{{owner}}/{{repo}}/issues',
        body: { title: '{{title}}', body: '{{body}}', labels: '{{labels}}', assignees: '{{assignees}}' },
        parameters: { required: ['owner', 'repo', 'title'] },
        approval: 'always',
      },
    });
    for (const tool of tools) await create(tool);
  });

  it('is accepted in a body too, and drafts the named operations', async () => {
    const documentation = github.toString();
    const operations = ['issues/create', 'GET /repos/{owner}/{repo}'];
    const { tools } = await ask({ documentation, operations });
    expect(tools.map(({ name }) => name)).toEqual(['issues_create', 'repos_get']);
    for (const tool of tools) await create(tool);
  });
});

describe('a body of many megabytes', { timeout: 300_000 }, () => {
  const send = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${service.url}/api/v1/tools/discover`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.key}`,
        'content-type': 'application/json',
        accept: 'application/json',
        ...headers,
      },
      body,
    });
  const wrap = (documentation: string, rest: object = {}) => JSON.stringify({ ...rest, documentation });

  it('may hold a document of 32 MB, and not a byte more', async () => {
    const rest = maxBytes - large.length;
    const taken = await send(wrap(large + ' '.repeat(rest)));
    expect(taken.status, await taken.text()).toBe(200);
    const refused = await send(wrap(large + ' '.repeat(rest + 1)));
    expect(await refused.json()).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ path: 'documentation' }],
    });
    expect((await send('x'.repeat(40 * 1024 * 1024 + 1))).status).toBe(413);
  });

  it.each<[string, string, RegExp]>([
    ['no JSON', `{"documentation":"${'x'.repeat(2_000_000)}`, /could not be read as JSON/],
    ['a typo', wrap('x'.repeat(2_000_000), { gaol: 'x' }), /gaol is not a known field/],
    ['two sources', wrap('x'.repeat(2_000_000), { url: 'https://a.example.com' }), /together with url/],
    ['deep JSON', wrap(`{"openapi":"3.0.0","x":${'['.repeat(2_000_000)}`), /nested more than 64/],
  ])('is refused with 400 for %s, before a stream begins', async (_name, body, message) => {
    const answer = await send(body, { accept: '*/*' });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringMatching(message),
    });
  });

  it('may hold prose, of which the model gets the beginning', async () => {
    scripted.enqueue([text(JSON.stringify({ tools: [], notes: ['Nothing.'] }))]);
    const answer = await send(wrap(`GET https://a.example.com/x ${'é'.repeat(2_000_000)}`));
    expect(await answer.json()).toEqual({
      tools: [],
      notes: [expect.stringMatching(/only its beginning was used/), 'Nothing.'],
    });
    expect(JSON.stringify(scripted.requests[0]?.body)).toContain('https://a.example.com/x');
  });

  it('is not read without a key', async () => {
    const answer = await send(wrap('x'.repeat(2_000_000)), { authorization: 'Bearer svc_sk_wrong' });
    expect(answer.status).toBe(401);
  });
});

describe('a large OpenAPI document', () => {
  it('is parsed without blocking other requests', async () => {
    site.answerWith((_request, response) => response.end(large));
    let answeredMeanwhile = 0;
    const { heldMs, result } = await holdingOf(async () => {
      let isDone = false;
      const drafted = discover({ url: `${site.url}/openapi.json` }).finally(() => {
        isDone = true;
      });
      while (!isDone) {
        expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
        answeredMeanwhile += 1;
        await delay(20);
      }
      return drafted;
    });
    expect(result).toMatchObject({ status: 200, body: { tools: [] } });
    expect(result.body.operations).toHaveLength(300);
    expect(heldMs).toBeLessThan(200);
    expect(answeredMeanwhile).toBeGreaterThan(5);
  });

  it.each([
    ['time', { timeMs: 100, memoryMb: 64 }],
    ['memory', { timeMs: 60_000, memoryMb: 32 }],
  ])('that takes too much %s is refused', async (what, limits) => {
    const read = createOpenApiReader(new URL('./hanging-worker.ts', import.meta.url), limits);
    const source = sourceOf(`{"openapi":"3.0.0","x":"${what}"}`);
    const job = { signal: new AbortController().signal, onProgress: () => undefined };
    await expect(read('a', source, job)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: 'url takes too long or too much memory to read.',
    });
    const leaving = new AbortController();
    const left = read('a', source, { ...job, signal: leaving.signal });
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
  });
});

describe('documents that take long', () => {
  const hanging = new URL('./hanging-worker.ts', import.meta.url);
  const source = sourceOf('{"openapi":"3.0.0","x":"time"}');
  const onProgress = () => undefined;

  it('alternate with those of other workspaces', async () => {
    const read = createOpenApiReader(hanging, { timeMs: 100, memoryMb: 64 });
    const ended: string[] = [];
    const { signal } = new AbortController();
    const reads = ['a 1', 'a 2', 'a 3', 'b 1', 'c 1'].map(async (name) => {
      await expect(read(name.slice(0, 1), source, { signal, onProgress })).rejects.toThrow('takes too long');
      ended.push(name);
    });
    await Promise.all(reads);
    expect(ended).toEqual(['a 1', 'a 2', 'b 1', 'c 1', 'a 3']);
  });

  it('are dropped when their caller has left', async () => {
    const read = createOpenApiReader(hanging, { timeMs: 600_000, memoryMb: 64 });
    const [slow, leaving] = [new AbortController(), new AbortController()];
    const first = read('a', source, { signal: slow.signal, onProgress });
    const second = read('a', source, { signal: leaving.signal, onProgress });
    leaving.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    slow.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
  });
});

describe('a document with schemas that a tool cannot have', () => {
  it('is drafted without them, and says so', async () => {
    const schema = {
      type: 'object',
      properties: {
        code: { type: 'string', pattern: '(', minLength: '3' },
        list: { type: 'array', items: { type: 'string' }, contains: { const: 'a' }, maxItems: 5 },
        either: { oneOf: [{ $ref: '#/nowhere' }, { type: 'string', propertyNames: {} }] },
        never: { not: { type: 'string', pattern: '[' } },
        fine: { type: 'string', pattern: '^(?=a)', maxLength: 9, not: { const: 'ab' } },
      },
      unevaluatedProperties: false,
    };
    const content = { 'application/json': { schema } };
    const document = {
      openapi: '3.1.0',
      paths: { '/a': { post: { operationId: 'send', requestBody: { content } } } },
    };
    const { named, notes } = await draft({ documentation: JSON.stringify(document) });
    const { configuration } = named('send');
    expect(configuration.parameters.properties).toEqual({
      code: { type: 'string' },
      list: { type: 'array', items: { type: 'string' }, maxItems: 5 },
      either: { anyOf: [{}, { type: 'string' }] },
      never: {},
      fine: { type: 'string', pattern: '^(?=a)', maxLength: 9, not: { const: 'ab' } },
    });
    expect(notes.join('\n')).toMatch(
      /left out: unevaluatedProperties, minLength, pattern, contains, propertyNames, not\./,
    );
    await create(named('send'));
  });

  it('has its patterns left out once there are too many', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [
        `f${index}`,
        { type: 'string', pattern: `^${'x'.repeat(1_000)}${index}` },
      ]),
    );
    const content = { 'application/json': { schema: { type: 'object', properties } } };
    const document = {
      openapi: '3.1.0',
      paths: { '/a': { post: { operationId: 'send', requestBody: { content } } } },
    };
    const { named, notes } = await draft({ documentation: JSON.stringify(document) });
    expect(notes.join('\n')).toMatch(/left out: pattern\./);
    await create(named('send'));
  });
});
