import { abilities } from '@svc/contract/abilities';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeMember } from '../support/members.ts';
import { type OutsideServer, startOutsideServer } from '../support/outside-server.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
let outside: OutsideServer;
/** May do everything but answer approvals. */
let builder: string;
const received: string[] = [];

beforeAll(async () => {
  outside = await startOutsideServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"access_token":"t"}');
  });
  service = await startTestApp({ environment: { SVC_EGRESS_ALLOW: '127.0.0.1' } });
  builder = await service.makeKey({ abilities: abilities.filter((one) => one !== 'approvals:write') });
});
afterAll(async () => {
  await service.stop();
  outside.close();
});
beforeEach(() => {
  received.length = 0;
});

type Configuration = Record<string, unknown>;

const forbidden = (path = 'configuration') => ({
  status: 403,
  body: {
    code: 'FORBIDDEN',
    message: expect.stringContaining('approvals:write'),
    details: [{ path, ability: 'approvals:write' }],
  },
});
const bodyOf = (type: string, configuration: Configuration) => ({
  tool_type: type,
  name: 'Try',
  description: 'x',
  configuration,
});
const create = (type: string, configuration: Configuration, key = service.key) =>
  service.call('POST /api/v1/tools', { key, body: bodyOf(type, configuration) });
const change = (id: string, body: object, key = builder) =>
  service.call(`PUT /api/v1/tools/${id}`, { key, body });
const stored = async (id: string) => (await service.call(`GET /api/v1/tools/${id}`)).body.configuration;
const created = async (type: string, configuration: Configuration): Promise<string> => {
  const answer = await create(type, configuration);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body.id;
};

const http = { url: 'https://api.example.com/x' };
const post = { ...http, method: 'POST' };
const mcp = { url: 'https://mcp.example.com/' };
const mail = { host: 'mail.example.com', from: 'a@example.com' };
const workdir = '/srv/shop';
const oauth = {
  auth_type: 'oauth2_client_credentials',
  oauth_token_url: 'https://api.example.com/token',
  oauth_client_id: 'shop',
  oauth_scope: 'read',
};
const clientSecret = { oauth_client_secret: 'stored' };

describe('a key that may not answer approvals', () => {
  it.each<[string, Configuration]>([
    ['http_request', { ...post, approval: 'never' }],
    ['http_request', { ...http, method: 'DELETE', approval: 'never' }],
    ['http_request', { ...http, headers: { 'X-HTTP-Method-Override': 'PUT' }, approval: 'never' }],
    ['http_request', { ...post, approval_link_edit: true }],
    ['http_request', { ...http, ...oauth, ...clientSecret }],
    ['http_request', { ...http, ...oauth, ...clientSecret, approval: 'always' }],
    ['http_request', { ...post, ...oauth, ...clientSecret }],
    ['mcp', { ...mcp, approval: 'never' }],
    ['send_email', { ...mail, approval: 'never' }],
    ['coding', { approval_writes: 'never' }],
    ['coding', { approval_commands: 'never' }],
    ['coding', { allowed_commands: ['npm test'] }],
    ['web_fetch', { approval: 'always', approval_link_edit: true }],
  ])('does not create a %s that skips approvals: %j', async (type, configuration) => {
    const before = (await service.call('GET /api/v1/tools')).body.length;
    expect(await create(type, configuration, builder)).toMatchObject(forbidden());
    expect((await service.call('GET /api/v1/tools')).body).toHaveLength(before);
    expect(await create(type, configuration)).toMatchObject({ status: 201 });
  });

  it.each<[string, Configuration]>([
    ['http_request', http],
    ['http_request', { ...http, method: 'HEAD', approval: 'never' }],
    ['http_request', { ...http, approval: 'never' }],
    ['http_request', post],
    ['http_request', { ...post, approval: 'always' }],
    ['mcp', mcp],
    ['send_email', mail],
    ['coding', {}],
    ['web_fetch', { approval: 'never' }],
    ['handoff', {}],
  ])('creates a %s that asks as it does by default: %j', async (type, configuration) => {
    expect(await create(type, configuration, builder)).toMatchObject({ status: 201 });
  });

  it.each<[string, string, Configuration, Configuration]>([
    ['approval of a POST', 'http_request', post, { ...post, approval: 'never' }],
    ['approval of a GET', 'http_request', { ...http, approval: 'always' }, { ...http, approval: 'never' }],
    ['approval of a GET, by leaving it out', 'http_request', { ...http, approval: 'always' }, http],
    ['method', 'http_request', { ...http, approval: 'never' }, { ...http, method: 'PUT', approval: 'never' }],
    [
      'method, by a header',
      'http_request',
      { ...http, approval: 'never' },
      { ...http, headers: { 'x-http-method-override': 'DELETE' }, approval: 'never' },
    ],
    ['method, to one that reads', 'http_request', post, http],
    [
      'address of a POST that does not ask',
      'http_request',
      { ...post, approval: 'never' },
      { ...post, url: 'https://api.example.com/y', approval: 'never' },
    ],
    [
      'body of a POST that does not ask',
      'http_request',
      { ...post, approval: 'never', body: { amount: 1 } },
      { ...post, approval: 'never', body: { amount: 1000 } },
    ],
    ['edits by link', 'http_request', post, { ...post, approval_link_edit: true }],
    ['approval of an MCP server', 'mcp', { ...mcp, approval: 'always' }, { ...mcp, approval: 'never' }],
    ['approval of its reads, by leaving it out', 'mcp', { ...mcp, approval: 'always' }, mcp],
    ['approval of its changes', 'mcp', mcp, { ...mcp, approval: 'never' }],
    [
      'tools of an MCP server that does not ask',
      'mcp',
      { ...mcp, approval: 'never', allowed_tools: ['read'] },
      { ...mcp, approval: 'never', allowed_tools: ['read', 'delete'] },
    ],
    ['approval of mails', 'send_email', mail, { ...mail, approval: 'never' }],
    [
      'recipients of mails that are not asked about',
      'send_email',
      { ...mail, approval: 'never', to: 'a@example.com' },
      { ...mail, approval: 'never', to: 'b@example.com' },
    ],
    ['approval of reads', 'coding', { approval_reads: 'always' }, {}],
    ['approval of changes', 'coding', { workdir }, { workdir, approval_writes: 'never' }],
    ['approval of commands', 'coding', { workdir }, { workdir, approval_commands: 'never' }],
    [
      'allowed commands',
      'coding',
      { allowed_commands: ['npm test'] },
      { allowed_commands: ['npm test', 'npm publish'] },
    ],
    [
      'allowed commands, by a pattern',
      'coding',
      { allowed_commands: ['git log'] },
      { allowed_commands: ['git log *'] },
    ],
    [
      'place of commands that are not asked about',
      'coding',
      { workdir, allowed_commands: ['npm test'] },
      { workdir: '/srv/other', allowed_commands: ['npm test'] },
    ],
    ['approval of pages', 'web_fetch', { approval: 'always' }, { approval: 'never' }],
  ])('does not loosen by the %s', async (_what, type, before, after) => {
    const id = await created(type, before);
    expect(await change(id, { configuration: after })).toMatchObject(forbidden());
    expect(await stored(id)).toEqual(before);
    expect(await change(id, { configuration: after }, service.key)).toMatchObject({ status: 200 });
    expect(await stored(id)).toEqual(after);
  });

  it.each<[string, Configuration, object]>([
    ['http_request', { ...post, approval: 'never' }, { configuration: post }],
    ['http_request', { ...post, approval: 'never' }, { name: 'Other', description: 'y', is_active: false }],
    ['http_request', { ...post, approval: 'never' }, { configuration: { ...post, approval: 'never' } }],
    ['http_request', post, { configuration: { ...post, url: 'https://api.example.com/y' } }],
    ['http_request', http, { configuration: post }],
    ['mcp', { ...mcp, approval: 'never' }, { configuration: mcp }],
    [
      'coding',
      { allowed_commands: ['npm test', 'git status'] },
      { configuration: { allowed_commands: ['npm test'] } },
    ],
    ['send_email', { ...mail, approval: 'never' }, { configuration: { ...mail, to: 'b@example.com' } }],
  ])('may tighten a %s, or change what still asks: %j to %j', async (type, before, body) => {
    const id = await created(type, before);
    expect(await change(id, body)).toMatchObject({ status: 200 });
  });

  it('does not set, replace or clear a secret of a tool that does not ask', async () => {
    const bearer = { ...post, auth_type: 'bearer' };
    const unasked = { ...bearer, approval: 'never' };
    const id = await created('http_request', { ...unasked, bearer_token: 'first' });
    for (const token of ['second', 'first'])
      expect(await change(id, { configuration: { ...unasked, bearer_token: token } })).toMatchObject(
        forbidden(),
      );
    const account = { ...mail, username: 'u', approval: 'never' };
    const mailing = await created('send_email', account);
    const signedIn = { ...account, password: 'p' };
    expect(await change(mailing, { configuration: signedIn })).toMatchObject(forbidden());
    expect(await change(mailing, { configuration: signedIn }, service.key)).toMatchObject({ status: 200 });
    const cleared = { configuration: { ...signedIn, password: null } };
    expect(await change(mailing, cleared)).toMatchObject(forbidden());
    expect((await service.call(`GET /api/v1/tools/${mailing}`)).body.secrets_set).toEqual(['password']);

    const asking = await created('http_request', { ...bearer, bearer_token: 'first' });
    const replaced = { configuration: { ...bearer, bearer_token: 'second' } };
    expect(await change(asking, replaced)).toMatchObject({ status: 200 });
  });

  describe('an OAuth tool', () => {
    const reading = { ...http, ...oauth };

    it.each<[string, Configuration]>([
      [
        'path of its token URL',
        { oauth_token_url: 'https://api.example.com/customers/7/delete', ...clientSecret },
      ],
      ['query of its token URL', { oauth_token_url: 'https://api.example.com/token?all=1', ...clientSecret }],
      ['host of its token URL', { oauth_token_url: 'https://other.example.com/token', ...clientSecret }],
      ['client', { oauth_client_id: 'amount=1000' }],
      ['scope', { oauth_scope: 'amount=1000' }],
      ['scope, by leaving it out', { oauth_scope: undefined }],
      ['secret', clientSecret],
    ])('is not made to request its token with another %s', async (_what, fields) => {
      for (const before of [reading, { ...reading, approval: 'always' }, { ...post, ...oauth }]) {
        const id = await created('http_request', { ...before, ...clientSecret });
        const configuration: Configuration = { ...before, ...fields };
        expect(await change(id, { configuration })).toMatchObject(forbidden());
        expect(await stored(id)).toEqual(before);
        expect(await change(id, { configuration }, service.key)).toMatchObject({ status: 200 });
        expect(await stored(id)).toEqual({ ...configuration, oauth_client_secret: undefined });
      }
    });

    it('is not made of another one', async () => {
      const unused = { ...reading, auth_type: 'none' };
      const id = await created('http_request', { ...unused, ...clientSecret });
      expect(await change(id, { configuration: reading })).toMatchObject(forbidden());
      expect(await stored(id)).toEqual(unused);
    });

    it('sends its stored secret to no other address, whoever changes it', async () => {
      const own = { ...reading, url: `${outside.url}/read`, oauth_token_url: `${outside.url}/token` };
      const id = await created('http_request', { ...own, ...clientSecret });
      for (const path of ['/customers/7/delete', '/token?all=1', '/token/', '/token#x'])
        for (const key of [builder, service.key])
          expect(
            await change(id, { configuration: { ...own, oauth_token_url: `${outside.url}${path}` } }, key),
          ).toMatchObject({
            status: 400,
            body: { details: [{ path: 'configuration.oauth_client_secret' }] },
          });
      expect(await stored(id)).toEqual(own);
      const tested = await service.call(`POST /api/v1/tools/${id}/test`, { key: builder, body: {} });
      expect(tested).toMatchObject({ status: 200, body: { success: true } });
      expect(received).toEqual(['POST /token', 'GET /read']);
    });

    it('reads without asking, is changed otherwise, tightened and given to bots', async () => {
      const id = await created('http_request', { ...reading, ...clientSecret });
      expect((await service.call(`GET /api/v1/tools/${id}`)).body.asks_first).toBe('never');
      const elsewhere = { ...reading, url: 'https://api.example.com/y', timeout_ms: 1000 };
      for (const body of [
        { configuration: elsewhere },
        { name: 'Other', is_active: false },
        { is_active: true },
        { configuration: { ...elsewhere, approval: 'always' } },
      ])
        expect(await change(id, body)).toMatchObject({ status: 200 });
      const unasked = await created('http_request', {
        ...post,
        ...oauth,
        ...clientSecret,
        approval: 'never',
      });
      const asking = { ...post, ...oauth };
      expect(await change(unasked, { configuration: asking })).toMatchObject({ status: 200 });
      expect((await service.call(`GET /api/v1/tools/${unasked}`)).body.asks_first).toBe('always');
      const { body: bot } = await service.call('POST /api/v1/bots', {
        body: { name: 'x', system_prompt: 'x' },
      });
      const assignments = [{ tool_type: 'http_request', tool_configuration_id: id }];
      const body = { bot_id: bot.id, assignments };
      expect(await service.call('POST /api/v1/tools/assign', { key: builder, body })).toMatchObject({
        status: 200,
      });
      const without = { ...http, approval: 'always', oauth_client_secret: null };
      expect(await change(id, { configuration: without })).toMatchObject({ status: 200 });
    });
  });

  it('does not switch on a tool that does not ask', async () => {
    const configuration = { ...post, approval: 'never' };
    const id = await created('http_request', configuration);
    expect(await change(id, { is_active: true })).toMatchObject({ status: 200 });
    expect(await change(id, { is_active: false })).toMatchObject({ status: 200 });
    for (const body of [{ is_active: true }, { is_active: true, configuration }])
      expect(await change(id, body)).toMatchObject(forbidden('is_active'));
    expect((await service.call(`GET /api/v1/tools/${id}`)).body.is_active).toBe(false);
    expect(await change(id, { is_active: true, configuration: post })).toMatchObject({ status: 200 });
    await change(id, { is_active: false, configuration }, service.key);
    expect(await change(id, { is_active: true }, service.key)).toMatchObject({ status: 200 });
  });

  it('does not replace a tool by one that does not ask', async () => {
    const id = await created('http_request', post);
    expect(await service.call(`DELETE /api/v1/tools/${id}`, { key: builder })).toMatchObject({ status: 200 });
    const again = { ...post, approval: 'never' };
    expect(await create('http_request', again, builder)).toMatchObject(forbidden());
    for (const preset of ['run-tests-freely', 'edit-freely']) {
      const [coding] = (await service.call('GET /api/v1/tools/catalog')).body.filter(
        ({ tool_type: type }: { tool_type: string }) => type === 'coding',
      );
      const { configuration } = coding.presets.find(({ id: one }: { id: string }) => one === preset);
      const body = { ...bodyOf('coding', configuration), preset_id: preset };
      expect(await service.call('POST /api/v1/tools', { key: builder, body })).toMatchObject(forbidden());
    }
  });
});

describe('the tools of a bot', () => {
  const bot = async () =>
    (await service.call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } })).body.id;
  const entry = (id: string, type = 'http_request') => ({ tool_type: type, tool_configuration_id: id });
  const assign = (botId: string, ids: string[], key = builder) =>
    service.call('POST /api/v1/tools/assign', {
      key,
      body: { bot_id: botId, assignments: ids.map((id) => entry(id)) },
    });

  it('are not swapped for some that do not ask, neither by assigning nor by restoring a version', async () => {
    const [asking, unasked] = [
      await created('http_request', post),
      await created('http_request', { ...post, approval: 'never' }),
    ];
    const botId = await bot();
    expect(await assign(botId, [asking])).toMatchObject({ status: 200 });
    expect(await assign(botId, [unasked])).toMatchObject(forbidden('tools'));
    expect((await service.call(`GET /api/v1/tools/bot?bot_id=${botId}`)).body).toMatchObject([entry(asking)]);

    expect(await assign(botId, [unasked], service.key)).toMatchObject({ status: 200 });
    // What the bot has already may stay.
    expect(await assign(botId, [asking, unasked])).toMatchObject({ status: 200 });
    const versions = (await service.call(`GET /api/v1/bots/${botId}/versions`)).body;
    expect(await assign(botId, [asking])).toMatchObject({ status: 200 });
    const restore = (number: number, key = builder) =>
      service.call(`POST /api/v1/bots/${botId}/versions/${number}/restore`, { key });
    const withUnasked = versions[0].number;
    expect(await restore(withUnasked)).toMatchObject(forbidden('tools'));
    expect((await service.call(`GET /api/v1/tools/bot?bot_id=${botId}`)).body).toHaveLength(1);
    expect(await restore(withUnasked, service.key)).toMatchObject({ status: 200 });
    expect((await service.call(`GET /api/v1/tools/bot?bot_id=${botId}`)).body).toHaveLength(2);
  });
});

describe('a test of a tool', () => {
  const test = (id: string, parameters: object = {}, key = builder) =>
    service.call(`POST /api/v1/tools/${id}/test`, { key, body: { parameters } });
  const audited = async (object: string) =>
    (await service.call(`GET /api/v1/audit?action=tool.tested&object=${object}`)).body;
  const request = (method: string, more: Configuration = {}) => ({
    method,
    url: `${outside.url}/${method}`,
    parameters: { type: 'object', properties: { word: { type: 'string' } } },
    ...more,
  });

  it('runs a call that needs approval only for those who may give it', async () => {
    const id = await created('http_request', request('POST'));
    expect(await test(id)).toMatchObject(forbidden('approval'));
    const reading = await created('http_request', request('GET', { approval: 'always' }));
    expect(await test(reading)).toMatchObject(forbidden('approval'));
    expect(received).toEqual([]);
    expect(await audited(id)).toEqual([]);
    expect(await test(id, {}, service.key)).toMatchObject({ status: 200, body: { success: true } });
    expect(received).toEqual(['POST /POST']);
  });

  it('is in the audit log with its author and outcome, without parameters or secrets', async () => {
    const configuration = request('GET', {
      url: `${outside.url}/{{word}}`,
      auth_type: 'bearer',
      bearer_token: 'canary-t0ken',
    });
    const id = await created('http_request', configuration);
    expect(await test(id, { word: 'canary-w0rd' })).toMatchObject({ status: 200, body: { success: true } });
    expect(await test(id, {})).toMatchObject({ status: 200, body: { success: false } });
    const [failed, worked] = await audited(id);
    expect(worked).toMatchObject({
      actor: { type: 'key', id: expect.any(String) },
      action: 'tool.tested',
      object: { type: 'tool', id, name: 'Try' },
      changes: expect.arrayContaining([{ field: 'outcome', before: null, after: 'ok' }]),
    });
    expect(failed.changes).toContainEqual({ field: 'outcome', before: null, after: 'error' });
    expect(JSON.stringify([failed, worked])).not.toContain('canary');
  });

  it('of a draft needs the rights to save it, and is in the audit log', async () => {
    const gated = await created('http_request', request('POST', { auth_type: 'bearer', bearer_token: 's' }));
    const draft = {
      ...bodyOf('http_request', request('POST', { auth_type: 'bearer', approval: 'never' })),
      tool_id: gated,
    };
    const path = 'POST /api/console/tools/test';
    const viewer = await makeMember(service, { role: 'viewer' });
    expect(await viewer.call(path, { body: draft })).toMatchObject({ status: 403 });
    expect(await service.call(path, { key: builder, body: draft })).toMatchObject({ status: 403 });
    expect(received).toEqual([]);
    for (const role of ['operator', 'owner'] as const) {
      const member = await makeMember(service, { role, name: `Some ${role}` });
      expect(await member.call(path, { body: draft })).toMatchObject({
        status: 200,
        body: { success: true },
      });
      const [entry] = await audited(gated);
      expect(entry).toMatchObject({
        actor: { type: 'member', id: member.id, name: `Some ${role}` },
        changes: expect.arrayContaining([
          { field: 'is_draft', before: null, after: true },
          { field: 'outcome', before: null, after: 'ok' },
        ]),
      });
    }
    expect(received).toEqual(['POST /POST', 'POST /POST']);
  });
});
