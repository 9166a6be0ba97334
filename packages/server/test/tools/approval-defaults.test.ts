import { randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../src/database/migrate.ts';
import { type FakeMcpServer, startFakeMcpServer } from '../support/mcp-server.ts';
import { type Member, makeMember } from '../support/members.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createTestDatabase } from '../support/test-database.ts';

describe('by default', () => {
  let service: TestApp;
  let server: FakeMcpServer;
  let member: Member;
  beforeAll(async () => {
    server = await startFakeMcpServer();
    service = await startTestApp({ environment: { SVC_EGRESS_ALLOW: '127.0.0.1' } });
    member = await makeMember(service, { role: 'operator' });
  });
  afterAll(async () => {
    await service.stop();
    await server.stop();
  });

  const approvalsOf = async (tool_type: string, configuration: object) => {
    const body = { tool_type, name: 'x', configuration };
    const { status, body: functions } = await member.call('POST /api/console/tools/functions', { body });
    expect(status).toBe(200);
    return Object.fromEntries(
      functions.map(({ key, approval }: { key: string; approval: string }) => [key, approval]),
    );
  };

  it.each([
    ['GET', 'never'],
    ['HEAD', 'never'],
    ['POST', 'always'],
    ['PUT', 'always'],
    ['PATCH', 'always'],
    ['DELETE', 'always'],
  ])('an HTTP request with %s asks: %s', async (method, approval) => {
    const url = 'https://api.example.com/';
    expect(await approvalsOf('http_request', { method, url })).toEqual({ request: approval });
    const other = approval === 'never' ? 'always' : 'never';
    expect(await approvalsOf('http_request', { method, url, approval: other })).toEqual({ request: other });
  });

  it.each([
    ['a header', { headers: { 'X-HTTP-Method-Override': 'DELETE' } }],
    ['a header in other letters', { headers: { 'x-Method-override': 'PUT' } }],
    ['a header with underscores', { headers: { X_HTTP_METHOD: 'MERGE' } }],
    [
      'a header that the model fills in',
      {
        headers: { 'X-HTTP-Method': '{{verb}}' },
        parameters: { type: 'object', properties: { verb: { type: 'string' } } },
      },
    ],
    [
      'the header of its key',
      { auth_type: 'header', header_name: 'X-HTTP-METHOD-OVERRIDE', header_value: 'DELETE' },
    ],
  ])('a GET whose method is replaced by %s asks', async (_what, fields) => {
    const configuration = { method: 'GET', url: 'https://api.example.com/', ...fields };
    expect(await approvalsOf('http_request', configuration)).toEqual({ request: 'always' });
  });

  it('a GET with other headers does not ask', async () => {
    const configuration = { url: 'https://api.example.com/', headers: { 'X-Method': 'DELETE' } };
    expect(await approvalsOf('http_request', configuration)).toEqual({ request: 'never' });
  });

  it('a mail asks', async () => {
    const mail = { host: 'mail.example.com', from: 'a@example.com' };
    expect(await approvalsOf('send_email', mail)).toEqual({ send: 'always' });
  });

  it('a tool of an MCP server asks unless the server says that it only reads', async () => {
    const annotated = (name: string, annotations: unknown) => ({ name, annotations });
    server.tools = [
      { name: 'plain' },
      annotated('reads', { readOnlyHint: true }),
      annotated('changes', { readOnlyHint: false }),
      annotated('odd', { readOnlyHint: 'true' }),
      annotated('broken', 'readOnlyHint'),
    ];
    const { url } = server;
    const asking = { plain: 'always', changes: 'always', odd: 'always', broken: 'always' };
    expect(await approvalsOf('mcp', { url })).toEqual({ ...asking, reads: 'never' });
    expect(await approvalsOf('mcp', { url, approval: 'always' })).toEqual({ ...asking, reads: 'always' });
    expect(Object.values(await approvalsOf('mcp', { url, approval: 'never' }))).toEqual(
      server.tools.map(() => 'never'),
    );
  });
});

it('tools that exist keep what they did, and hooks that were checked with their tool', async () => {
  const { database, drop } = await createTestDatabase({ migrated: false });
  try {
    const folder = join(import.meta.dirname, '../../src/database/migrations');
    const earlier = globSync('*.sql', { cwd: folder }).filter((name) => name < '0046');
    const run = (text: string) => database.acrossWorkspaces.raw(text);
    await run('create table schema_migrations (name text primary key, applied_at timestamptz default now())');
    for (const name of earlier.toSorted()) {
      await run(readFileSync(join(folder, name), 'utf8'));
      await run(`insert into schema_migrations (name) values ('${name}')`);
    }
    const [workspace, bot] = [randomUUID(), randomUUID()];
    await run(`insert into workspaces (id, name) values ('${workspace}', 'x')`);
    await run(
      `insert into bots (id, workspace_id, name, system_prompt) values ('${bot}', '${workspace}', 'x', 'x')`,
    );
    const insert = async (name: string, type: string, configuration: object) => {
      const id = randomUUID();
      await run(`insert into tools (id, workspace_id, tool_type, name, configuration, updated_at)
        values ('${id}', '${workspace}', '${type}', '${name}', '${JSON.stringify(configuration)}', '2026-01-02')`);
      return id;
    };
    await insert('1 get', 'http_request', { url: 'u' });
    const posting = await insert('2 post', 'http_request', { url: 'u', method: 'POST' });
    const asking = await insert('3 asking', 'http_request', { url: 'u', method: 'POST', approval: 'always' });
    await insert('4 head', 'http_request', { url: 'u', method: 'HEAD' });
    await insert('5 mcp', 'mcp', { url: 'u' });
    await insert('6 mail', 'send_email', { host: 'h' });
    await insert('7 coding', 'coding', {});
    for (const [tool, day] of [
      [posting, '01'],
      [asking, '03'],
    ])
      await run(`insert into post_call_hooks (id, workspace_id, bot_id, tool_configuration_id, updated_at)
        values ('${randomUUID()}', '${workspace}', '${bot}', '${tool}', '2026-01-${day}')`);

    await migrate(database);
    const { rows } = await run(
      "select name, configuration ->> 'approval' as approval from tools order by name",
    );
    expect(rows.map((row) => Object.values(row))).toEqual([
      ['1 get', null],
      ['2 post', 'never'],
      ['3 asking', 'always'],
      ['4 head', null],
      ['5 mcp', 'never'],
      ['6 mail', 'never'],
      ['7 coding', null],
    ]);
    const hooks = await run(
      'select confirmed_configuration as confirmed from post_call_hooks order by updated_at',
    );
    expect(hooks.rows).toEqual([
      { confirmed: null },
      { confirmed: { url: 'u', method: 'POST', approval: 'always' } },
    ]);
  } finally {
    await drop();
  }
});
