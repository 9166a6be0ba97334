import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.stop());

const mail = {
  tool_type: 'send_email',
  name: 'Mail',
  description: 'Writes to the team.',
  configuration: {
    host: 'mail.example.com',
    username: 'bot',
    password: 'first secret',
    from: 'Bot <bot@example.com>',
  },
};
const create = (change: object = {}) => service.call('POST /api/v1/tools', { body: { ...mail, ...change } });
const read = async (id: string) => (await service.call(`GET /api/v1/tools/${id}`)).body;
const put = (id: string, body: object) => service.call(`PUT /api/v1/tools/${id}`, { body });
const made = async (change?: object): Promise<string> => (await create(change)).body.id;

describe('a tool', () => {
  it('is created, read, listed, changed and deleted', async () => {
    const created = await create({ preset_id: 'gmail', metadata: { team: 'a' } });
    expect(created).toMatchObject({ status: 201, body: { id: expect.any(String) } });
    expect(Object.keys(created.body)).toEqual(['id']);
    const { id } = created.body;
    const tool = await read(id);
    expect(tool).toEqual({
      id,
      function_name: 'Mail',
      tenant_id: expect.any(String),
      tool_type: 'send_email',
      name: 'Mail',
      description: 'Writes to the team.',
      preset_id: 'gmail',
      is_default: false,
      asks_first: 'always',
      is_active: true,
      created_by: expect.any(String),
      metadata: { team: 'a' },
      configuration: { host: 'mail.example.com', username: 'bot', from: 'Bot <bot@example.com>' },
      secrets_set: ['password'],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
      updated_at: expect.any(String),
    });
    expect((await service.call('GET /api/v1/tools')).body).toContainEqual(tool);

    expect(await put(id, { name: 'Post', is_active: false, preset_id: null })).toMatchObject({
      status: 200,
      body: { message: expect.any(String) },
    });
    const changed = await read(id);
    expect(changed).toMatchObject({
      name: 'Post',
      is_active: false,
      preset_id: null,
      description: tool.description,
    });
    expect(changed.configuration).toEqual(tool.configuration);
    expect(Date.parse(changed.updated_at)).toBeGreaterThanOrEqual(Date.parse(tool.updated_at));

    expect(await service.call(`DELETE /api/v1/tools/${id}`)).toMatchObject({
      status: 200,
      body: { message: expect.any(String) },
    });
    for (const call of [`GET /api/v1/tools/${id}`, `DELETE /api/v1/tools/${id}`])
      expect((await service.call(call)).status).toBe(404);
  });

  it('can be written back as it was read', async () => {
    const id = await made();
    const before = await read(id);
    expect((await put(id, before)).status).toBe(200);
    const after = await read(id);
    expect({ ...after, updated_at: '' }).toEqual({ ...before, updated_at: '' });
  });

  it.each([
    ['an unknown type', { tool_type: 'teleport' }, 'tool_type'],
    ['no name', { name: undefined }, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['no description', { description: undefined }, 'description'],
    ['no configuration', { configuration: undefined }, 'configuration'],
    ['a configuration that is a list', { configuration: [] }, 'configuration'],
    ['an unknown field', { configuration: { ...mail.configuration, pasword: 'x' } }, 'configuration.pasword'],
    ['a missing field', { configuration: { from: 'a@example.com' } }, 'configuration.host'],
    [
      'a field of another type',
      { configuration: { ...mail.configuration, port: '25' } },
      'configuration.port',
    ],
    ['a field out of bounds', { configuration: { ...mail.configuration, port: 0 } }, 'configuration.port'],
    [
      'a secret of another type',
      { configuration: { ...mail.configuration, password: 5 } },
      'configuration.password',
    ],
    [
      'a secret that is an object',
      { configuration: { ...mail.configuration, password: {} } },
      'configuration.password',
    ],
    ['an empty secret', { configuration: { ...mail.configuration, password: '' } }, 'configuration.password'],
    [
      'what only the type can check',
      { configuration: { ...mail.configuration, from: 'nobody' } },
      'configuration.from',
    ],
  ])('is refused with %s, and the field is named', async (_name, change, path) => {
    const answer = await create(change);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(answer.body.details.map((detail: { path: string }) => detail.path)).toContain(path);
    expect(answer.body.message).toMatch(new RegExp(`^${path.replace('.', '\\.')} `));
  });

  it('is refused with everything that is wrong at once, when it is created and when it is changed', async () => {
    const found = (answer: { status: number; body: { details: { path: string }[] } }) => {
      expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
      return answer.body.details.map(({ path }) => path);
    };
    const request = {
      tool_type: 'http_request',
      preset_id: 'nothing',
      configuration: {
        method: 'GET',
        url: 'nowhere',
        headers: { 'a b': 'x', host: 'example.com' },
        approval_title: 'Refund {{amount}}',
        parameters: { type: 'object', properties: {} },
        auth_type: 'basic',
        response_path: '[[',
      },
    };
    const paths = ['url', 'headers.a b', 'headers.host', 'approval_title', 'basic_username', 'response_path'];
    expect(found(await create(request))).toEqual([
      'preset_id',
      ...paths.map((path) => `configuration.${path}`),
    ]);
    const id = await made();
    const configuration = { ...mail.configuration, host: 'a b', from: 'nobody', to: 'nobody' };
    expect(found(await put(id, { preset_id: 'nothing', configuration }))).toEqual([
      'preset_id',
      'configuration.host',
      'configuration.from',
      'configuration.to',
    ]);
  });

  it('belongs to its workspace', async () => {
    const other = await service.makeWorkspace();
    const id = await made();
    const { key } = other;
    for (const operation of ['GET', 'PUT', 'DELETE'])
      expect(
        (
          await service.call(`${operation} /api/v1/tools/${id}`, {
            key,
            ...(operation === 'PUT' && { body: { name: 'x' } }),
          })
        ).status,
      ).toBe(404);
    expect((await service.call('GET /api/v1/tools', { key })).body).toEqual([]);
    expect((await read(id)).name).toBe('Mail');
  });

  it('takes its hooks, secrets and assignments with it', async () => {
    const [id, kept] = [await made(), await made()];
    const bot = await service.call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } });
    const botId = bot.body.id;
    for (const tool of [id, kept]) {
      const hook = { body: { tool_configuration_id: tool } };
      expect((await service.call(`POST /api/v1/bots/${botId}/post-call-hooks`, hook)).status).toBe(201);
    }
    const assignments = [
      { tool_type: 'send_email', tool_configuration_id: id },
      { tool_type: 'send_email', tool_configuration_id: kept },
      { tool_type: 'calculator' },
    ];
    expect(
      (await service.call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments } })).status,
    ).toBe(200);

    expect((await service.call(`DELETE /api/v1/tools/${id}`)).status).toBe(200);
    const left = (await service.call(`GET /api/v1/tools/bot?bot_id=${botId}`)).body;
    expect(left.map((entry: { tool_configuration_id: string }) => entry.tool_configuration_id)).toEqual([
      kept,
      null,
    ]);
    const hooks = (await service.call(`GET /api/v1/bots/${botId}/post-call-hooks`)).body;
    expect(hooks.map((hook: { tool_configuration_id: string }) => hook.tool_configuration_id)).toEqual([
      kept,
    ]);
    const { rows } = await service.database.acrossWorkspaces.execute(
      sql`select (select count(*)::int from tool_secrets where tool_id = ${id}) as secrets,
                 (select tool_count from bots where id = ${botId}) as tools`,
    );
    expect(rows[0]).toEqual({ secrets: 0, tools: 2 });
  });

  it('is created once per Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await service.call('POST /api/v1/tools', { body: mail, headers });
    const again = await service.call('POST /api/v1/tools', { body: mail, headers });
    expect(again).toMatchObject({ status: 201, body: first.body });
    const changed = { ...mail, configuration: { ...mail.configuration, password: 'another' } };
    expect(await service.call('POST /api/v1/tools', { body: changed, headers })).toMatchObject({
      status: 409,
      body: { code: 'IDEMPOTENCY_MISMATCH' },
    });
  });
});

describe('the preset of a tool', () => {
  it('is one of its type', async () => {
    const calculator = { tool_type: 'calculator', configuration: {} };
    const refusals: [object, string][] = [
      [{ preset_id: 'teleport' }, 'preset_id must be one of gmail, '],
      [{ preset_id: '' }, 'preset_id must be one of gmail, '],
      [{ ...calculator, preset_id: 'gmail' }, 'preset_id must be null: calculator has no presets'],
    ];
    for (const [change, message] of refusals) {
      const answer = await create(change);
      expect(answer).toMatchObject({ status: 400, body: { details: [{ path: 'preset_id' }] } });
      expect(answer.body.message).toContain(message);
    }
    const id = await made({ preset_id: 'gmail' });
    expect(await put(id, { preset_id: 'teleport' })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'preset_id' }] },
    });
    expect((await read(id)).preset_id).toBe('gmail');
  });

  it('may be written back or removed when it no longer exists', async () => {
    const id = await made();
    await service.database.acrossWorkspaces.execute(
      sql`update tools set preset_id = 'of-old' where id = ${id}`,
    );
    expect((await put(id, await read(id))).status).toBe(200);
    expect((await read(id)).preset_id).toBe('of-old');
    expect((await put(id, { preset_id: null })).status).toBe(200);
    expect((await put(id, { preset_id: 'of-old' })).status).toBe(400);
  });
});

describe('metadata of tools', () => {
  it('is replaced as a whole, is cleared by {}, and can be filtered by', async () => {
    const key = randomUUID();
    const [one, two] = [
      await made({ metadata: { key, size: 'l' } }),
      await made({ metadata: { key, size: 's' } }),
    ];
    const listed = async (query: string) =>
      (await service.call(`GET /api/v1/tools?${query}`)).body.map((tool: { id: string }) => tool.id);
    expect(await listed(`metadata.key=${key}`)).toEqual([one, two]);
    expect(await listed(`metadata.key=${key}&metadata.size=s`)).toEqual([two]);
    expect(await listed(`metadata.key=${key}&metadata.size=m`)).toEqual([]);

    const patch = (id: string, body: unknown) => service.call(`PATCH /api/v1/tools/${id}/metadata`, { body });
    expect(await patch(one, { other: 'x' })).toMatchObject({
      status: 200,
      body: { message: expect.any(String) },
    });
    expect((await read(one)).metadata).toEqual({ other: 'x' });
    expect((await patch(one, {})).status).toBe(200);
    expect((await read(one)).metadata).toEqual({});
    expect((await patch(randomUUID(), {})).status).toBe(404);
    for (const wrong of [{ a: 1 }, { a: null }, { a: 'x'.repeat(8192) }]) {
      expect(await patch(two, wrong)).toMatchObject({ status: 422, body: { code: 'METADATA_INVALID' } });
      expect((await create({ metadata: wrong })).status).toBe(422);
      expect((await put(two, { metadata: wrong })).status).toBe(422);
    }
    expect((await read(two)).metadata).toEqual({ key, size: 's' });
    expect((await service.call('GET /api/v1/tools?unknown=1')).status).toBe(400);
  });
});
