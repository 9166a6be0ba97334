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

describe('secrets of a tool', () => {
  it('keep their value when left out, take a new one, and are cleared by null', async () => {
    const id = await made();
    const sealed = async () => {
      const { rows } = await service.database.acrossWorkspaces.execute<{ sealed: Buffer }>(
        sql`select sealed from tool_secrets where tool_id = ${id}`,
      );
      return rows[0]?.sealed.toString('hex');
    };
    const first = await sealed();
    const { password: _password, ...rest } = mail.configuration;
    expect((await put(id, { configuration: { ...rest, port: 2525 } })).status).toBe(200);
    expect(await read(id)).toMatchObject({
      configuration: { ...rest, port: 2525 },
      secrets_set: ['password'],
    });
    expect(await sealed()).toBe(first);
    expect((await put(id, { name: 'No configuration at all' })).status).toBe(200);
    expect(await sealed()).toBe(first);

    expect((await put(id, { configuration: { ...rest, password: 'second secret' } })).status).toBe(200);
    expect((await read(id)).secrets_set).toEqual(['password']);
    expect(await sealed()).not.toBe(first);

    expect((await put(id, { configuration: { ...rest, password: null } })).status).toBe(200);
    expect(await read(id)).toMatchObject({ configuration: rest, secrets_set: [] });
    expect(await sealed()).toBeUndefined();
  });

  it('are not kept for another host: they must be sent again', async () => {
    const id = await made();
    const { password: _password, ...rest } = mail.configuration;
    const elsewhere = { ...rest, host: 'smtp.elsewhere.example' };
    expect(await put(id, { configuration: elsewhere })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'configuration.password' }] },
    });
    expect((await put(id, { configuration: { ...elsewhere, password: 'its own' } })).status).toBe(200);
    expect((await put(id, { configuration: { ...rest, password: null } })).status).toBe(200);
  });

  it.each([
    [
      'send_email',
      'password',
      { from: 'a@example.com', username: 'bot' },
      { host: 'fd00::1' },
      { host: 'fd00::2' },
    ],
    [
      'send_email',
      'password',
      { from: 'a@example.com', username: 'bot' },
      { host: 'a:25' },
      { host: 'b:25' },
    ],
    ['mcp', 'authorization', {}, { url: 'https://x.example/mcp' }, { url: 'https://x.example/refunds' }],
    ['mcp', 'authorization', {}, { url: 'https://x.example/mcp' }, { url: 'https://x.example/mcp?all=1' }],
    [
      'http_request',
      'bearer_token',
      { auth_type: 'bearer' },
      { url: 'https://x.example/' },
      { url: 'https://x.example:8443/' },
    ],
  ])(
    'of a %s are not kept for another address: %s, %j, %j, %j',
    async (tool_type, field, rest, here, there) => {
      const id = await made({ tool_type, configuration: { ...rest, ...here, [field]: 'stored' } });
      expect(await put(id, { configuration: { ...rest, ...there } })).toMatchObject({
        status: 400,
        body: { details: [{ path: `configuration.${field}` }] },
      });
      expect(await read(id)).toMatchObject({ configuration: here, secrets_set: [field] });
      expect((await put(id, { configuration: { ...rest, ...here } })).status).toBe(200);
      expect((await put(id, { configuration: { ...rest, ...there, [field]: 'its own' } })).status).toBe(200);
    },
  );

  it('of an HTTP request are kept for other paths of its API', async () => {
    const configuration = { url: 'https://x.example/a', auth_type: 'bearer' };
    const id = await made({
      tool_type: 'http_request',
      configuration: { ...configuration, bearer_token: 'x' },
    });
    const other = { ...configuration, url: 'https://x.example/b?c={{d}}' };
    const parameters = { type: 'object', properties: { d: { type: 'string' } } };
    expect((await put(id, { configuration: { ...other, parameters } })).status).toBe(200);
    expect((await read(id)).secrets_set).toEqual(['bearer_token']);
  });

  it('may be null from the start', async () => {
    const id = await made({ configuration: { ...mail.configuration, password: null } });
    expect((await read(id)).secrets_set).toEqual([]);
  });

  it('are checked like any field, and a refused change changes nothing', async () => {
    const id = await made();
    const before = await read(id);
    for (const [field, value] of [
      ['password', 7],
      ['password', ['x']],
      ['port', 'x'],
      ['surprise', 1],
    ] as const) {
      const answer = await put(id, {
        name: 'Changed',
        configuration: { ...before.configuration, [field]: value },
      });
      expect(answer).toMatchObject({ status: 400, body: { details: [{ path: `configuration.${field}` }] } });
    }
    expect(await read(id)).toEqual(before);
  });

  it('are refused without being repeated where they could not be sent', async () => {
    const configuration = { url: 'https://mcp.example.com', authorization: 'Bearer canary\r\nX-Other: 1' };
    const answer = await create({ tool_type: 'mcp', configuration });
    expect(answer).toMatchObject({
      status: 400,
      body: { details: [{ path: 'configuration.authorization' }] },
    });
    expect(JSON.stringify(answer.body)).not.toContain('canary');
  });

  it('are checked together with the rest', async () => {
    const id = await made();
    const { username: _username, password: _password, ...rest } = mail.configuration;
    const withoutName = await put(id, { configuration: rest });
    expect(withoutName).toMatchObject({
      status: 400,
      body: { details: [{ path: 'configuration.username' }] },
    });
    expect((await put(id, { configuration: { ...rest, password: null } })).status).toBe(200);
  });
});
