import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/**
 * Unique secrets are planted wherever one can be stored, and everything is exercised, including servers that echo what
 * they receive; then every response, every log line and the whole database is searched.
 */
let service: TestApp;
let echoUrl: string;
let mailPort: number;
const servers: Server[] = [];
const planted: string[] = [];
const answers: string[] = [];

beforeAll(async () => {
  service = await startTestApp({ environment: { SVC_EGRESS_ALLOW: '127.0.0.1' } });
  const echo = createHttpServer((request, response) => {
    const parts: string[] = [];
    request.on('data', (chunk) => void parts.push(String(chunk)));
    request.on('end', () => {
      const received = JSON.stringify({ url: request.url, headers: request.headers, body: parts.join('') });
      response.writeHead(request.url?.includes('fail') ? 500 : 200, {
        'content-type': 'application/json',
        'x-said': encodeURIComponent(received),
      });
      // The issued token is as secret as the credentials.
      const token = { access_token: plant(), token_type: 'bearer', expires_in: 3600 };
      response.end(request.url === '/token' ? JSON.stringify(token) : received);
    });
  });
  const mail = createTcpServer((socket) => {
    socket.on('error', () => undefined).write('220 hello\r\n');
    socket.on('data', (chunk) => {
      const line = String(chunk).trim();
      const decoded = Buffer.from(line.split(' ').at(-1) ?? '', 'base64').toString();
      if (line.startsWith('EHLO')) socket.write('250-x\r\n250 AUTH PLAIN LOGIN\r\n');
      else socket.write(`535 you said ${line} which is ${decoded.replaceAll('\0', ' ')}\r\n`);
    });
  });
  for (const server of [echo, mail]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
  }
  echoUrl = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;
  mailPort = (mail.address() as AddressInfo).port;
});
afterAll(async () => {
  await service.stop();
  for (const server of servers) server.close();
});

function plant(): string {
  const secret = `canary${randomBytes(12).toString('hex')}`;
  planted.push(secret);
  return secret;
}

const http = (auth: object) => ({ method: 'POST', url: `${echoUrl}/ok`, body: { a: 1 }, ...auth });

/** A configuration of each tool type with secrets; a missing one fails below. */
const configurations: Record<string, () => Record<string, unknown>[]> = {
  send_email: () => [
    {
      host: '127.0.0.1',
      port: mailPort,
      from: 'a@example.com',
      to: 'b@example.com',
      username: 'u',
      password: plant(),
    },
  ],
  mcp: () => [
    { url: `${echoUrl}/mcp`, authorization: plant() },
    { url: `${echoUrl}/fail`, authorization: `Token ${plant()}` },
  ],
  http_request: () => [
    http({ auth_type: 'bearer', bearer_token: plant() }),
    http({ auth_type: 'basic', basic_username: 'u', basic_password: plant() }),
    http({ auth_type: 'header', header_name: 'X-Key', header_value: plant() }),
    http({ url: `${echoUrl}/fail`, auth_type: 'header', header_name: 'X-Key', header_value: plant() }),
    http({
      auth_type: 'oauth2_client_credentials',
      oauth_token_url: `${echoUrl}/token`,
      oauth_client_id: 'me',
      oauth_client_secret: plant(),
    }),
  ],
};
const parameters: Record<string, object> = { send_email: { subject: 'x', text: 'y' } };

async function call(operation: string, options: Parameters<TestApp['call']>[1] = {}) {
  const answer = await service.call(operation, options);
  answers.push(
    `${operation} ${answer.status} ${JSON.stringify([...answer.headers])} ${JSON.stringify(answer.body)}`,
  );
  return answer;
}

it('a stored secret is found nowhere', async () => {
  const { body: catalog } = await call('GET /api/v1/tools/catalog');
  for (const { tool_type: type, configuration_schema: schema } of catalog) {
    const fields = Object.entries(schema.properties as Record<string, { 'x-secret'?: boolean }>)
      .filter(([, field]) => field['x-secret'])
      .map(([field]) => field);
    if (fields.length === 0) continue;
    const made = configurations[type]?.();
    if (!made) throw new Error(`Say in configurations how a ${type} with its secrets looks.`);
    for (const configuration of made) await exercise(type, configuration, fields);
    const covered = new Set(made.flatMap((one) => Object.keys(one)));
    expect(
      fields.filter((field) => !covered.has(field)),
      `${type}: not planted`,
    ).toEqual([]);
  }
  await call('GET /api/v1/tools');
  await call('POST /api/v1/tools', {
    body: `{"tool_type":"mcp","configuration":{"authorization":"${plant()}"`,
  });
  expect(planted.length).toBeGreaterThan(5);

  for (const [place, text] of [
    ['answers', answers.join('\n')],
    ['log', service.logged.join('\n')],
    ['database', await dumpDatabase()],
  ] as const) {
    expect(text.length, place).toBeGreaterThan(1_000);
    for (const secret of planted) {
      for (const form of formsOf(secret)) {
        const at = text.indexOf(form);
        expect(at === -1 ? '' : text.slice(Math.max(at - 300, 0), at + 100), `${place} holds ${form}`).toBe(
          '',
        );
      }
    }
  }
});

async function exercise(
  type: string,
  configuration: Record<string, unknown>,
  fields: string[],
): Promise<void> {
  const body = { tool_type: type, name: `A ${type}`, description: 'x', configuration };
  const headers = { 'idempotency-key': randomBytes(8).toString('hex') };
  const created = await call('POST /api/v1/tools', { body, headers });
  expect(created, JSON.stringify(created.body)).toMatchObject({ status: 201 });
  expect((await call('POST /api/v1/tools', { body, headers })).body).toEqual(created.body);
  expect((await call('POST /api/v1/tools', { body: { ...body, name: 'Other' }, headers })).status).toBe(409);
  const path = `/api/v1/tools/${created.body.id}`;
  const secretFields = Object.keys(configuration).filter((field) => fields.includes(field));
  expect((await call(`GET ${path}`)).body.secrets_set).toEqual(secretFields);

  const test = await call(`POST ${path}/test`, { body: { parameters: parameters[type] ?? {} } });
  expect(test.status).toBe(200);
  if (test.body.resolved_request) expect(JSON.stringify(test.body.resolved_request)).toContain('***');

  // Changed, sent with the wrong type, and sent under a wrong name.
  for (const field of secretFields) {
    expect(
      (await call(`PUT ${path}`, { body: { configuration: { ...configuration, [field]: plant() } } })).status,
    ).toBe(200);
    expect(
      (await call(`PUT ${path}`, { body: { configuration: { ...configuration, [field]: [plant()] } } }))
        .status,
    ).toBe(400);
    expect(
      (await call(`PUT ${path}`, { body: { configuration: { ...configuration, [`${field}s`]: plant() } } }))
        .status,
    ).toBe(400);
    expect((await call('POST /api/v1/tools', { body: { ...body, [field]: plant() } })).status).toBe(400);
  }
  await call(`POST ${path}/test`, { body: { parameters: parameters[type] ?? {} } });

  const bot = await call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } });
  const assignments = [{ tool_type: type, tool_configuration_id: created.body.id }];
  expect(
    (await call('POST /api/v1/tools/assign', { body: { bot_id: bot.body.id, assignments } })).status,
  ).toBe(200);
  await call(`GET /api/v1/tools/bot?bot_id=${bot.body.id}`);
  await call('POST /api/v1/chat/send-stream', {
    body: { bot_id: bot.body.id, message: 'Hello', external_user_id: 'u' },
  });
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // Inside a longer text, base64 has three possible alignments, and its middle still reveals the secret.
  const shifted = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  return [secret, bytes.toString('hex'), ...shifted];
}

async function dumpDatabase(): Promise<string> {
  const { rows: tables } = await service.database.acrossWorkspaces.execute<{ name: string }>(
    sql`select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const dumped: string[] = [];
  for (const { name } of tables) {
    const { rows } = await service.database.acrossWorkspaces.execute<{ row: string }>(
      sql.raw(`select t::text as row from ${name} t`),
    );
    dumped.push(...rows.map(({ row }) => `${name} ${row}`));
  }
  return dumped.join('\n');
}
