import net, { Socket } from 'node:net';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createGuardedLane } from '../../src/egress/guarded-lane.ts';
import { text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, scriptedEnvironment } from '../support/chat.ts';
import { readOperations } from '../support/operations.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { type OutsideServer, startOutsideServer } from './support.ts';

/**
 * The house test reads imports; it cannot see a library that opens connections by itself. So this test runs the real
 * service and watches every socket of the process: outbound ones must be opened by egress/.
 */
interface Opened {
  target: string;
  stack: string;
}

const opened: Opened[] = [];
const originalConnect = Socket.prototype.connect;
const originalTraceLimit = Error.stackTraceLimit;

let service: TestApp;
let scripted: ScriptedModel;
let outside: OutsideServer;

beforeAll(async () => {
  Error.stackTraceLimit = 100;
  Socket.prototype.connect = function connect(this: Socket, ...given: unknown[]) {
    opened.push({ target: targetOf(given), stack: new Error('opened here').stack ?? '' });
    return Reflect.apply(originalConnect, this, given) as Socket;
  };
  scripted = await startScriptedModel();
  outside = await startOutsideServer();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
  await outside.close();
  Socket.prototype.connect = originalConnect;
  Error.stackTraceLimit = originalTraceLimit;
});

/** The test's own calls to the service, and the database. */
function throughNoDoor(): string[] {
  const { host, port } = inject('postgres');
  const database = host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : `${host}:${port}`;
  const expected = [database, new URL(service.url).host];
  return opened
    .filter(({ target }) => !expected.includes(target))
    .filter(({ stack }) => !stack.includes('packages/server/src/egress/'))
    .map(({ target, stack }) => `${target}\n${stack}`);
}

it('whatever the service does, it opens connections in egress/ only', async () => {
  const chat = chatWith(() => service);
  scripted.respondWith([text('Hello there!')]);
  const reader = await chat.send({ bot_id: await chat.bot(), message: 'Hi' });
  await reader.until('message.delta');
  reader.close();
  const operations = await readOperations(service);
  for (const { method, path } of operations.filter((operation) => operation.method === 'GET')) {
    await service.call(`${method} ${path.replaceAll(/\{\w+\}/g, crypto.randomUUID())}`, { headOnly: true });
  }
  expect(scripted.requests.length).toBeGreaterThan(0);
  expect(opened.some(({ stack }) => stack.includes('src/egress/trusted-lane.ts'))).toBe(true);
  expect(throughNoDoor()).toEqual([]);
});

it('detects the guarded lane, and code that bypasses it', async () => {
  const lane = createGuardedLane({ allow: ['127.0.0.1'] });
  await lane.request({ url: outside.url });
  await lane.close();
  expect(opened.at(-1)?.stack).toContain('src/egress/guarded-connector.ts');
  expect(throughNoDoor()).toEqual([]);

  await (await fetch(outside.url)).text();
  expect(throughNoDoor()).toEqual([expect.stringContaining(`:${outside.port}`)]);
  opened.length = 0;
  net.connect(outside.port, '127.0.0.1').destroy();
  expect(throughNoDoor()).toEqual([expect.stringContaining(`:${outside.port}`)]);
  opened.length = 0;
});

/** `connect(port, host)`, `connect({ host, port })`, `connect(path)`; net itself passes them on in an array. */
function targetOf(given: unknown[]): string {
  const [first, second] = given.flat(1);
  if (typeof first === 'object' && first !== null) {
    const { host = 'localhost', port, path } = first as { host?: string; port?: number; path?: string };
    return path ?? `${host}:${port}`;
  }
  if (typeof first === 'string' && Number.isNaN(Number(first))) return first;
  return typeof second === 'string' ? `${second}:${String(first)}` : `localhost:${String(first)}`;
}
