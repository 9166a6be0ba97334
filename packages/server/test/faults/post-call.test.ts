import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { createFleet, key, makeBot } from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { type OutsideServer, startOutsideServer } from '../support/outside-server.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import type { Call } from '../support/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { openEndedCalls } from '../voice/ended-calls.ts';

const fleet = createFleet();
const asked: string[] = [];
let answers = false;
let database: TestDatabase;
let outside: OutsideServer;
let service: ServiceProcess;
let call: Call;

beforeAll(async () => {
  outside = await startOutsideServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    if (answers || path === '/before') response.writeHead(200, { 'content-type': 'text/plain' }).end('Done.');
  });
  database = await createTestDatabase();
  await start();
});
afterAll(async () => {
  await fleet.end();
  outside.close();
  await database.drop();
});

async function start(): Promise<void> {
  service = await fleet.start({
    ...database.environment,
    SVC_DEFAULT_MODEL: 'builtin/extractive',
    SVC_EGRESS_ALLOW: '127.0.0.1',
  });
  call = service.call(key);
}

async function makeHook(botId: string, name: string, run_order: number, method = 'POST'): Promise<void> {
  const parameters = { type: 'object', properties: {} };
  const configuration = { method, url: `${outside.url}/${name}`, parameters };
  const tool = { tool_type: 'http_request', name, description: name, configuration };
  const { body } = await call('POST /api/v1/tools', { body: tool });
  const hook = { tool_configuration_id: body.id, run_order };
  expect(await call(`POST /api/v1/bots/${botId}/post-call-hooks`, { body: hook })).toMatchObject({
    status: 201,
  });
}

/** From outside, while the service works on its jobs. */
async function endCall(botId: string): Promise<string> {
  const calls = await openEndedCalls(database.database, readConfig({}), Buffer.alloc(32));
  try {
    const { rows } = await database.database.acrossWorkspaces.raw(
      'select workspace_id from bots where id = $1',
      [botId],
    );
    const [{ workspace_id: workspaceId }] = rows as [{ workspace_id: string }];
    return await calls.end({ workspaceId, botId });
  } finally {
    await calls.close();
  }
}

const hooksOf = async (callId: string) =>
  (await call(`GET /api/v1/conversations/${callId}`)).body.call.hooks as {
    tool_name: string;
    status: string;
    ended_at: string | null;
  }[];

it('runs every hook of a call at most once across a kill -9, and those after it once', async () => {
  const [paying, reading] = [await makeBot(service), await makeBot(service)];
  await makeHook(paying, 'before', 1);
  await makeHook(paying, 'pay', 2);
  await makeHook(paying, 'after', 3);
  await makeHook(reading, 'look', 1, 'GET');
  const [paid, looked] = [await endCall(paying), await endCall(reading)];
  await until('both are in the middle of a hook', () => asked.includes('/pay') && asked.includes('/look'));
  expect(await hooksOf(paid)).toMatchObject([{ status: 'ok' }, { status: 'started' }, { status: 'pending' }]);

  await service.end('SIGKILL');
  answers = true;
  await start();
  const settled = async () =>
    [...(await hooksOf(paid)), ...(await hooksOf(looked))].every(({ ended_at }) => ended_at !== null);
  await until('all hooks have ended', settled, { detail: service.output });

  expect(await hooksOf(paid)).toMatchObject([
    { tool_name: 'before', status: 'ok' },
    { tool_name: 'pay', status: 'unknown', error: expect.stringContaining('may or may not') },
    { tool_name: 'after', status: 'ok' },
  ]);
  // It changes nothing, so it is repeated.
  expect(await hooksOf(looked)).toMatchObject([{ tool_name: 'look', status: 'ok' }]);
  const counts = Object.fromEntries(
    [...Map.groupBy(asked, (path) => path)].map(([path, all]) => [path, all.length]),
  );
  expect(counts).toEqual({ '/before': 1, '/pay': 1, '/after': 1, '/look': 2 });
});
