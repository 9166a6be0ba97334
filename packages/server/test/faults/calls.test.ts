import { afterAll, beforeAll, expect, it } from 'vitest';
import { text, toolCall } from '../scripted-model/script.ts';
import { lockRow } from '../support/faults/locks.ts';
import { type PlannedModel, startPlannedModel } from '../support/faults/model.ts';
import { createFleet, key, makeBot } from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { type OutsideServer, startOutsideServer } from '../support/outside-server.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import type { Call } from '../support/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

/** Three calls when the process is killed: approved but not begun, approved and running, running and read-only. */
const fleet = createFleet();
const asked: string[] = [];
let answers = false;
let database: TestDatabase;
let outside: OutsideServer;
let model: PlannedModel;
let service: ServiceProcess;
let call: Call;
const conversations = new Map<string, string>();

beforeAll(async () => {
  outside = await startOutsideServer((request, response) => {
    asked.push(request.url ?? '');
    if (answers) response.writeHead(200, { 'content-type': 'text/plain' }).end('It is done.');
  });
  database = await createTestDatabase();
  model = await startPlannedModel();
  await start();
});

afterAll(async () => {
  await fleet.end();
  outside.close();
  await model.close();
  await database.drop();
});

async function start(): Promise<void> {
  service = await fleet.start({
    ...database.environment,
    OPENAI_BASE_URL: model.url,
    SVC_EGRESS_ALLOW: '127.0.0.1',
  });
  call = service.call(key);
}

async function makeTool(name: string, tool_type: string, configuration: object): Promise<object> {
  const body = { tool_type, name, description: name, configuration };
  const created = await call('POST /api/v1/tools', { body });
  expect(created).toMatchObject({ status: 201 });
  return { tool_type, tool_configuration_id: created.body.id };
}

async function begin(botId: string, message: string, name: string, given: object): Promise<void> {
  model.plan(message, [toolCall(name, given)]);
  const stream = fleet.send(service, { bot_id: botId, message, new_conversation: true });
  await until(`${message} has begun`, () => stream.events.length > 0);
  conversations.set(message, stream.events[0]?.data['conversation_id'] as string);
}

const read = async (message: string) =>
  (await call(`GET /api/v1/conversations/${conversations.get(message)}`)).body;
const outcomes = async (message: string) =>
  (await call(`GET /api/v1/chat/events?conversation_id=${conversations.get(message)}`)).body
    .filter(({ event }: { event: string }) => event === 'tool.completed')
    .map(({ data: { status } }: { data: { status: string } }) => status);

async function approve(message: string): Promise<void> {
  const pending = () => call(`GET /api/v1/hitl?conversation_id=${conversations.get(message)}`);
  await until(`${message} asks`, async () => (await pending()).body.length === 1);
  const [{ id }] = (await pending()).body;
  expect((await call(`POST /api/v1/hitl/${id}/respond`, { body: { action: 'approve' } })).status).toBe(200);
}

it('runs an approved call at most once across a kill -9, and reports truthfully what happened', async () => {
  const botId = await makeBot(service);
  const asking = { method: 'POST', approval: 'always', parameters: { type: 'object', properties: {} } };
  const assignments = [
    await makeTool('pay_later', 'http_request', { ...asking, url: `${outside.url}/later` }),
    await makeTool('pay_now', 'http_request', { ...asking, url: `${outside.url}/now` }),
    { tool_type: 'web_fetch' },
  ];
  expect((await call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments } })).status).toBe(
    200,
  );

  await begin(botId, 'later', 'pay_later', {});
  await begin(botId, 'now', 'pay_now', {});
  await begin(botId, 'look', 'web_fetch', { url: `${outside.url}/page` });
  await until('the page is requested', () => asked.includes('/page'));

  const locked = await lockRow(database.connection, 'tool_calls', "name = 'pay_later'");
  await approve('later');
  await locked.blocks();
  await approve('now');
  await until('the payment is requested', () => asked.includes('/now'));
  expect(asked).not.toContain('/later');

  await service.end('SIGKILL');
  // Otherwise PostgreSQL would still commit the dead process's start of a call that never ran.
  await locked.abort();
  answers = true;
  model.plan('It is done.', [text('Done.')]);
  await start();
  for (const message of conversations.keys()) {
    await until(`${message} ends`, async () => (await read(message)).status === 'idle');
  }

  expect(asked.filter((path) => path === '/later')).toHaveLength(1);
  expect(await outcomes('later')).toEqual(['ok']);
  expect(asked.filter((path) => path === '/now')).toHaveLength(1);
  expect(await outcomes('now')).toEqual(['unknown']);
  const told = (await read('now')).messages.find(({ role }: { role: string }) => role === 'tool');
  expect(told.content).toContain('not known whether this call was carried out');
  expect(asked.filter((path) => path === '/page')).toHaveLength(2);
  expect(await outcomes('look')).toEqual(['ok']);
});
