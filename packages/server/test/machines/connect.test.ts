import { once } from 'node:events';
import { closeCodes, maxFrameBytes } from '@svc/contract/machine-protocol';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/drizzle.ts';
import { createLog } from '../../src/lib/log.ts';
import { newId } from '../../src/lib/new-id.ts';
import { createConnections } from '../../src/machines/machine-connections.ts';
import { makeCodingBot } from '../support/coding-bot.ts';
import { connectMachine, hello, openMachine } from '../support/machine-client.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

let store: TestDatabase;
let first: TestNode;
let second: TestNode;
beforeAll(async () => {
  store = await createTestDatabase();
  first = await startNode(store);
  second = await startNode(store);
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  await store.drop();
});

let sockets: WebSocket[] = [];
afterEach(() => {
  for (const socket of sockets) socket.terminate();
  sockets = [];
});

async function pair(): Promise<{ id: string; token: string }> {
  return (await first.call('POST /api/v1/machines', { body: { name: 'ada-laptop' } })).body;
}

async function connect(node: TestNode, key: string, changes: Partial<typeof hello> = {}) {
  const machine = await connectMachine(node.url, key, changes);
  sockets.push(machine.socket);
  return machine;
}

async function open(node: TestNode, key: string) {
  const machine = await openMachine(node.url, key);
  sockets.push(machine.socket);
  return machine;
}

async function statusOf(id: string, node = first): Promise<string | undefined> {
  const machines: { id: string; status: string }[] = (await node.call('GET /api/v1/machines')).body;
  return machines.find((machine) => machine.id === id)?.status;
}

it('welcomes a daemon, and shows what it reported while it is online', async () => {
  const { id, token } = await pair();
  const machine = await connect(first, token);
  expect(machine.received[0]).toEqual({ type: 'welcome', machine: { id, name: 'ada-laptop' } });
  const shown = async () =>
    ((await second.call('GET /api/v1/machines')).body as { id: string }[]).find((one) => one.id === id);
  expect(await shown()).toMatchObject({
    status: 'online',
    platform: 'linux',
    version: '0.1.0',
    roots: ['/home/ada/shop'],
    sandbox: 'bubblewrap',
    last_seen_at: expect.any(String),
  });
  await machine.close();
  await expect.poll(() => statusOf(id)).toBe('offline');
  expect(await shown()).toMatchObject({ platform: 'linux', last_seen_at: expect.any(String) });
});

it('closes the connection of a revoked machine within a second, on whichever node it is', async () => {
  for (const node of [first, second]) {
    const delays: number[] = [];
    // The fastest counts, because this machine may be busy with other things.
    for (let round = 0; round < 3; round += 1) {
      const { id, token } = await pair();
      const machine = await connect(node, token);
      await first.call(`DELETE /api/v1/machines/${id}`);
      const revokedAt = performance.now();
      const reason = expect.stringContaining('revoked') as string;
      expect(await machine.closed).toEqual({ code: closeCodes.revoked, reason });
      delays.push(performance.now() - revokedAt);
      expect(await statusOf(id)).toBe('revoked');
      await expect(openMachine(node.url, token)).rejects.toThrow('401');
    }
    expect(Math.min(...delays)).toBeLessThan(1_000);
  }
});

// Well below the 30 seconds after which all connections are checked anyway.
it('closes the connection of a machine that is revoked while it is being registered', {
  timeout: 15_000,
}, async () => {
  const { id } = await pair();
  const { workspace_id: workspaceId } = (
    await store.database.acrossWorkspaces.execute<{ workspace_id: string }>(
      sql`select workspace_id from machines where id = ${id}`,
    )
  ).rows[0] ?? { workspace_id: '' };
  const [committed, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // The answer to the commit arrives after the notification of what happened next.
  const database: Database = {
    ...store.database,
    within(workspace) {
      const statements = store.database.within(workspace);
      return Object.assign(Object.create(statements), {
        async transaction(work: Parameters<typeof statements.transaction>[0]) {
          const result = await statements.transaction(work);
          committed.resolve();
          await answered.promise;
          return result;
        },
      });
    },
  };
  const log = createLog({ level: 'silent', readable: false });
  const connections = createConnections({ database, nodeId: newId(), log });
  const closed = Promise.withResolvers<number>();
  const socket = { send: () => undefined, close: closed.resolve };
  const machine = { machineId: id, workspaceId, name: 'ada-laptop', connectionId: null };
  connections.accept(machine, socket).onFrame(Buffer.from(JSON.stringify(hello)), false);
  await committed.promise;
  await first.call(`DELETE /api/v1/machines/${id}`);
  connections.check(id);
  answered.resolve();
  expect(await closed.promise).toBe(closeCodes.revoked);
  await connections.closeAll();
});

it('closes the connection of a revoked machine even if the notification is lost', async () => {
  const { id, token } = await pair();
  const machine = await connect(second, token);
  await store.database.acrossWorkspaces.execute(sql`update machines set revoked_at = now() where id = ${id}`);
  await store.database.acrossWorkspaces.execute(
    sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'svc listener' and datname = current_database()`,
  );
  expect((await machine.closed).code).toBe(closeCodes.revoked);
});

it('replaces an older connection of the same machine, here and on another node', async () => {
  const { id, token } = await pair();
  const one = await connect(first, token);
  const two = await connect(first, token);
  expect(await one.closed).toEqual({
    code: closeCodes.replaced,
    reason: expect.stringContaining('same key'),
  });
  const three = await connect(second, token);
  expect((await two.closed).code).toBe(closeCodes.replaced);
  expect(await statusOf(id)).toBe('online');
  await three.close();
  await expect.poll(() => statusOf(id)).toBe('offline');
});

it('keeps a newer connection when one is registered late because its node was slow', async () => {
  const { id, token } = await pair();
  const late = await open(first, token);
  const current = await connect(second, token);
  late.send(hello);
  // Not a code that ends a daemon: it may be the same one.
  expect((await late.closed).code).toBe(1013);
  await expect.poll(() => statusOf(id)).toBe('online');
  expect(current.socket.readyState).toBe(WebSocket.OPEN);
  const next = await connect(first, token);
  expect((await current.closed).code).toBe(closeCodes.replaced);
  await next.close();
});

it('keeps one of many connections that are opened together', async () => {
  const { id, token } = await pair();
  const machines = await Promise.all(
    [first, second, first, second, first, second].map((node) => open(node, token)),
  );
  for (const machine of machines) machine.send(hello);
  const isOpen = () => machines.filter(({ socket }) => socket.readyState === WebSocket.OPEN);
  await expect.poll(() => isOpen().length).toBe(1);
  await isOpen()[0]?.receive('welcome');
  expect(await statusOf(id)).toBe('online');
});

it('is offline when the node that has its connection is gone', async () => {
  const { id } = await pair();
  const [nodeId, connectionId] = [newId(), newId()];
  const run = (statement: ReturnType<typeof sql>) => store.database.acrossWorkspaces.execute(statement);
  await run(sql`insert into nodes (id) values (${nodeId})`);
  await run(
    sql`update machines set node_id = ${nodeId}, connection_id = ${connectionId}, last_seen_at = now() where id = ${id}`,
  );
  expect(await statusOf(id)).toBe('online');
  await run(sql`update nodes set seen_at = now() - interval '16 seconds' where id = ${nodeId}`);
  expect(await statusOf(id)).toBe('offline');
});

it.each([
  ['garbage', '}{', 'not JSON'],
  ['another frame first', JSON.stringify({ type: 'progress', id: newId(), text: 'x' }), 'must be hello'],
  ['another version', JSON.stringify({ type: 'hello', protocol: 2 }), 'protocol 1, the daemon 2'],
  ['an incomplete hello', JSON.stringify({ ...hello, roots: [] }), 'protocol'],
  ['too many values', `[${'[],'.repeat(200_000)}[]]`, 'too many values'],
])('refuses %s as the first frame', async (_name, text, reason) => {
  const { id, token } = await pair();
  const machine = await open(first, token);
  machine.socket.send(text);
  expect(await machine.closed).toEqual({
    code: closeCodes.protocolError,
    reason: expect.stringContaining(reason),
  });
  expect(await statusOf(id)).toBe('offline');
});

it('refuses a binary frame, a second hello and an oversize frame', async () => {
  const { token } = await pair();
  const binary = await connect(first, token);
  binary.socket.send(Buffer.from(JSON.stringify(hello)), { binary: true });
  expect((await binary.closed).code).toBe(closeCodes.protocolError);

  const twice = await connect(first, token);
  twice.send(hello);
  expect((await twice.closed).code).toBe(closeCodes.protocolError);

  const large = await connect(first, token);
  large.socket.send('x'.repeat(maxFrameBytes + 1));
  expect((await large.closed).code).toBe(1009);
  expect((await first.call('GET /readyz')).status).toBe(200);
});

it('ignores frames for operations that are not awaited', async () => {
  const { id, token } = await pair();
  const machine = await connect(first, token);
  for (let count = 0; count < 300; count += 1)
    machine.send({ type: 'progress', id: newId(), text: 'x'.repeat(60_000) });
  machine.send({ type: 'result', id: newId(), outcome: { status: 'ok', value: { text: '\u0000' } } });
  const ponged = once(machine.socket, 'pong');
  machine.socket.ping();
  await ponged;
  expect(await statusOf(id)).toBe('online');
});

it('makes daemons connect again when their node stops, and takes no more', async () => {
  const { id, token } = await pair();
  const third = await startNode(store);
  const machine = await connect(third, token);
  const idle = await open(third, (await pair()).token);
  await third.stop();
  expect((await machine.closed).code).toBe(1012);
  expect((await idle.closed).code).toBe(1012);
  expect(await statusOf(id)).toBe('offline');
  await connect(first, token);
  expect(await statusOf(id)).toBe('online');
});

it('answers requests that wait for a machine when their node stops, so that clients try again', async () => {
  const { id, token } = await pair();
  const third = await startNode({ ...store, environment: { OPENAI_BASE_URL: 'http://127.0.0.1:9' } });
  const machine = await connect(third, token);
  const botId = await makeCodingBot(third, { machine_id: id, workdir: '/project' });
  const body = { bot_id: botId, message: 'hello', external_user_id: newId(), new_conversation: true };
  const sending = third.call('POST /api/v1/chat/send-stream', { body });
  await Promise.race([machine.receive('operation'), sending]);
  await third.stop();
  expect(await sending).toMatchObject({ status: 503, body: { code: 'NOT_READY' } });
});
