import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OutsideServer, startOutsideServer } from '../egress/support.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { scriptedEnvironment } from '../support/chat.ts';
import { runs } from '../support/sample.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { discovering, draftHere, readHere } from './discovering.ts';

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
const { discover, ask, draft, create } = discovering(() => service);

const document = (origin: string) => `
openapi: 3.1.0
info: { title: Shop, version: "1" }
servers:
  - url: ${origin}/{version}
    variables: { version: { default: v1 } }
security: [{ key: [] }]
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Shop-Key }
    login: { type: http, scheme: basic }
    machine:
      type: oauth2
      flows: { clientCredentials: { tokenUrl: /token, scopes: { "orders:write": "" } } }
    cookie: { type: apiKey, in: cookie, name: session }
  schemas:
    Node:
      type: object
      required: [name, id]
      properties:
        id: { type: string, readOnly: true }
        name: { type: string, nullable: true }
        children: { type: array, items: { $ref: "#/components/schemas/Node" } }
    Order:
      allOf:
        - { type: object, properties: { id: { type: string } }, required: [id] }
        - { type: object, properties: { "line items": { type: array, items: { type: string } } } }
      required: ["line items"]
paths:
  /orders/{id}/find:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string } }
    get:
      operationId: find
      security: [{ login: [] }]
      parameters:
        - { name: "filter[state]", in: query, schema: { type: string, enum: [open, closed], default: none } }
        - { name: near, in: query, style: deepObject, schema: { type: object, properties: { lat: { type: number } } } }
        - { name: ids, in: query, explode: false, schema: { type: array, items: { type: integer } } }
        - { name: X-Trace, in: header, schema: { type: string } }
        - { name: Accept, in: header, schema: { type: string } }
        - { name: flavour, in: cookie, schema: { type: string } }
    post:
      operationId: order
      security: [{ machine: ["orders:write"] }]
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } }
  /nodes:
    put:
      operationId: nodes
      requestBody: { content: { application/vnd.shop+json: { schema: { $ref: "#/components/schemas/Node" } } } }
    post:
      operationId: form
      security: [{ cookie: [] }]
      requestBody:
        content: { application/x-www-form-urlencoded: { schema: { properties: { a: { type: string } } } } }
    options: { operationId: options }
    head: { operationId: look }
  /files:
    post:
      requestBody: { required: true, content: { multipart/form-data: { schema: { type: object } } } }
`;

describe('a document written by hand', () => {
  it('is drafted as far as a tool can express it, and the rest is noted', async () => {
    const { named, notes, tools } = await draft({ documentation: document('https://shop.example.com') });
    expect(tools.map((tool) => tool.name)).toEqual(['find', 'order', 'form', 'nodes', 'look']);
    expect(named('find').configuration).toMatchObject({
      url: 'https://shop.example.com/v1/orders/{{id}}/find',
      query: { 'filter[state]': '{{filter_state}}', 'near[lat]': '{{near_lat}}', ids: '{{ids}}' },
      headers: { 'X-Trace': '{{X-Trace}}' },
      auth_type: 'basic',
    });
    expect(named('find').configuration.parameters.properties).toMatchObject({
      filter_state: { type: 'string', enum: ['open', 'closed'] },
      ids: { type: 'string', description: 'Several values, separated by ",".' },
    });
    expect(named('find').configuration.parameters.properties['filter_state']).not.toHaveProperty('default');
    expect(named('order').configuration).toMatchObject({
      auth_type: 'oauth2_client_credentials',
      oauth_token_url: 'https://shop.example.com/token',
      oauth_scope: 'orders:write',
      body: { id: '{{body_id}}', 'line items': '{{line_items}}' },
      parameters: { required: ['id', 'body_id', 'line_items'] },
    });
    expect(named('nodes').configuration).toMatchObject({
      auth_type: 'header',
      header_name: 'X-Shop-Key',
      headers: { 'Content-Type': 'application/vnd.shop+json' },
      body: { name: '{{name}}', children: '{{children}}' },
      parameters: {
        properties: { name: { type: ['string', 'null'] }, children: { type: 'array', items: {} } },
      },
    });
    expect(named('form').configuration).toMatchObject({ body_type: 'form', body: { a: '{{a}}' } });
    const asking = tools.filter(({ configuration: { approval } }) => approval === 'always');
    expect(asking.map(({ name }) => name)).toEqual(['order', 'form', 'nodes', 'look']);
    for (const note of [
      /Not drafted: its body is multipart\/form-data.* \(POST \/files\)/,
      /Not drafted: configuration\.method must be one of .* \(OPTIONS \/nodes\)/,
      /The cookie flavour cannot be sent\. \(find\)/,
      /The authentication cookie cannot be drafted: add it by hand\. \(form\)/,
      /Fill in oauth_client_secret before the tool is created\. \(order\)/,
    ]) {
      expect(notes.join('\n')).toMatch(note);
    }
  });

  it('gives tools that send what the document says', async () => {
    const { named } = await draft({ documentation: document(site.url) });
    site.answerWith((_request, response) =>
      response
        .setHeader('content-type', 'application/json')
        .end('{"access_token":"t","token_type":"Bearer"}'),
    );
    const run = async (name: string, parameters: object) => {
      const id = await create(named(name));
      const { body } = await service.call(`POST /api/v1/tools/${id}/test`, { body: { parameters } });
      expect(body, JSON.stringify(body)).toMatchObject({ success: true });
      return site.received.at(-1);
    };
    const found = await run('find', { id: 'a b', filter_state: 'open', near_lat: 1.5, ids: '1,2' });
    const address = new URL(found?.path ?? '', site.url);
    expect(address.pathname).toBe('/v1/orders/a%20b/find');
    expect(Object.fromEntries(address.searchParams)).toEqual({
      'filter[state]': 'open',
      'near[lat]': '1.5',
      ids: '1,2',
    });
    expect(found?.headers['authorization']).toMatch(/^Basic /);
    const ordered = await run('order', { id: '7', body_id: 'x', line_items: ['one'] });
    expect(ordered).toMatchObject({ method: 'POST', path: '/v1/orders/7/find' });
    expect(JSON.parse(ordered?.body ?? '')).toEqual({ id: 'x', 'line items': ['one'] });
    const put = await run('nodes', { name: null, children: [{ name: 'inner' }] });
    expect(put?.headers).toMatchObject({ 'content-type': 'application/vnd.shop+json', 'x-shop-key': 'key' });
    expect(JSON.parse(put?.body ?? '')).toEqual({ name: null, children: [{ name: 'inner' }] });
  });

  const manyThings = (count: number) => {
    const paths = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `/thing${index}`,
        { get: { operationId: `thing_${index}`, summary: `Thing ${index}` } },
      ]),
    );
    return JSON.stringify({ openapi: '3.0.0', servers: [{ url: 'https://a.example.com' }], paths });
  };

  it('has all of a few operations drafted, the relevant ones first', () => {
    const { tools, notes } = draftHere(manyThings(20), { goal: 'I want thing17!' });
    expect(tools).toHaveLength(20);
    expect(tools[0]?.name).toBe('thing_17');
    expect(notes).toEqual([]);
  });

  it('has only the relevant ones of many operations drafted', async () => {
    const { tools, notes, operations } = await ask({
      documentation: manyThings(103),
      goal: 'I want thing102!',
    });
    expect(tools.map((tool) => tool.name)).toEqual(['thing_102']);
    expect(notes[0]).toMatch(/^The goal chose 1 of 103 operations/);
    expect(operations).toBeUndefined();
    const all = draftHere(manyThings(103), { goal: 'any thing' });
    expect(all.tools).toHaveLength(20);
    expect(all.notes[0]).toMatch(/The next would be: GET \/thing20, GET \/thing21/);
  });

  it.each([
    ['no goal', {}, /has 21 operations, .* Send a goal/],
    ['a goal of other words', { goal: 'buy bread' }, /None of them shares a word with the goal/],
    ['a name that nothing has', { operations: ['nothing'] }, /no operation of this id or address: nothing/],
  ])('has its many operations listed for %s', (_name, choice, note) => {
    const { tools, notes, operations } = draftHere(manyThings(21), choice);
    expect(tools).toEqual([]);
    expect(notes[0]).toMatch(note);
    expect(operations).toHaveLength(21);
    expect(operations?.[20]).toEqual({
      method: 'GET',
      path: '/thing20',
      operation_id: 'thing_20',
      summary: 'Thing 20',
    });
  });

  it('has exactly the named operations drafted', async () => {
    const operations = ['thing_20', 'get /thing3', 'GET /thing3', 'thing_999'];
    const { tools, notes } = await ask({ documentation: manyThings(21), operations });
    expect(tools.map((tool) => tool.name)).toEqual(['thing_20', 'thing_3']);
    expect(notes[0]).toMatch(/no operation of this id or address: thing_999\./);
    const both = await discover({ documentation: manyThings(21), operations, goal: 'x' });
    expect(both).toMatchObject({ status: 400, body: { details: [{ path: 'operations' }] } });
  });

  it.each([
    ['{"openapi":"3.0.0","paths":', /not valid JSON/],
    ['openapi: 3.0.0\npaths: [}', /not valid YAML/],
    ['openapi: 3.1.0\nwebhooks: {}', /without paths/],
    ['{"openapi":"3.0.0","paths":{}}', /without operations/],
    ['openapi: 3.0.0\npaths: &a { /x: *a }', /./],
  ])('%s is refused', (documentation, message) => {
    const read = readHere(documentation);
    expect(read).toMatchObject({ kind: 'refused', message: expect.stringMatching(message) });
    if (read?.kind === 'refused' && read.details) expect(read.details[0]?.path).toBe('documentation');
  });

  it('is refused with 400', async () => {
    const answer = await discover({ documentation: '{"openapi":"3.0.0","paths":{}}' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(answer.body.message).toMatch(/without operations/);
  });

  it('never causes an internal error, however strange the document', () => {
    const petstore = JSON.parse(example('3.0/json/petstore.json')) as object;
    const places = [...placesOf(petstore)];
    const strange = fc.oneof(fc.jsonValue(), fc.constantFrom<unknown>(null, {}, [], '', '{{', { $ref: '#' }));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(places.length - 1), strange), { maxLength: 20 }), (bent) => {
        const copy = structuredClone(petstore);
        // Copies, because a value may be put into another, and even into itself.
        for (const [index, value] of bent) setAt(copy, places[index] ?? [], structuredClone(value));
        const goal = bent.length % 2 === 0 ? undefined : 'find a pet';
        const read = readHere(JSON.stringify(copy), { goal });
        expect(['drafted', 'refused'], JSON.stringify(bent)).toContain(read?.kind);
      }),
      runs(150),
    );
  });
});

function* placesOf(value: unknown, path: string[] = []): Generator<string[]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (path.length > 0 || (key !== 'openapi' && key !== 'paths')) yield [...path, key];
    yield* placesOf(inner, [...path, key]);
  }
}

function setAt(target: unknown, path: string[], value: unknown): void {
  let found = target;
  for (const key of path.slice(0, -1)) {
    if (typeof found !== 'object' || found === null) return;
    found = (found as Record<string, unknown>)[key];
  }
  if (typeof found === 'object' && found !== null)
    (found as Record<string, unknown>)[path.at(-1) ?? ''] = value;
}
