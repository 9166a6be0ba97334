import type { Server } from 'node:http';
import { fastify } from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { createRequestQueue, type RequestQueueLimits } from '../../src/http/request-queue.ts';
import { AppError } from '../../src/lib/app-error.ts';
import { eventually } from '../support/chat.ts';

const forever = 600_000;
const patient: RequestQueueLimits = {
  concurrency: 2,
  maxHeldMs: forever,
  recentMs: forever,
  maxWaiting: 1_000,
  maxWaitingBytes: 1_000_000,
};
let stop = async () => undefined as void;
afterEach(() => stop());

/** A server that works on a request until the test ends it. */
async function start(limits: RequestQueueLimits) {
  const app = fastify();
  const underWay = new Map<string, { end(): void; leaveQueue(): void }>();
  const begun: string[] = [];
  app.decorateRequest('principal', null);
  app.decorateRequest('leaveQueue', () => undefined);
  app.addHook('onRequest', async (request) => {
    const [, workspaceId = ''] = request.url.split('/');
    request.principal = {
      keyId: 'key',
      workspaceId,
      abilities: new Set(),
      limits: {},
      hasAll: true,
      expiresAt: null,
      confirm: async () => undefined,
    };
  });
  app.addHook('preHandler', createRequestQueue(limits));
  app.setErrorHandler((error, _request, reply) => reply.code(error instanceof AppError ? 429 : 500).send());
  app.all('/:workspace/:name', (request) => {
    const { workspace, name } = request.params as { workspace: string; name: string };
    begun.push(`${workspace}/${name}`);
    return new Promise((resolve) => {
      const end = () => resolve('done');
      underWay.set(`${workspace}/${name}`, { end, leaveQueue: () => request.leaveQueue() });
    });
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const asked: Promise<unknown>[] = [];
  const hangUp = new AbortController();
  /** The refused requests, with their statuses. */
  const statuses: string[] = [];
  /** `a/name?40` has a body of 40 bytes. */
  async function askFor(name: string): Promise<void> {
    const bytes = Number(name.split('?')[1] ?? 0);
    const sent = bytes > 0 ? { method: 'POST', body: 'x'.repeat(bytes) } : {};
    const { status } = await fetch(`${url}/${name}`, { ...sent, signal: hangUp.signal });
    if (status !== 200) statuses.push(`${name} ${status}`);
  }
  stop = async () => {
    for (let ended = 0; ended < asked.length; ended += 1) {
      for (const { end } of underWay.values()) end();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.allSettled(asked);
    await app.close();
  };
  return {
    begun,
    statuses,
    /** Resolves when the server has started or queued the request. */
    async ask(...names: string[]): Promise<void> {
      for (const name of names) {
        const arrived = new Promise<void>((resolve) => app.server.once('request', () => resolve()));
        asked.push(askFor(name).catch(() => undefined));
        await arrived;
      }
      // After a round trip, the server has seen all earlier requests.
      await fetch(`${url}/nothing`);
    },
    /** Disconnects all clients. */
    async hangUp(): Promise<void> {
      const gone = new Set(asked);
      hangUp.abort();
      await Promise.all(gone);
      await eventually(() => connections(app.server)).toBe(0);
    },
    end: (name: string) => underWay.get(name)?.end(),
    leaveQueue: (name: string) => underWay.get(name)?.leaveQueue(),
  };
}

/** Idle keep-alive connections are not counted. */
async function connections(server: Server): Promise<number> {
  server.closeIdleConnections();
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

const names = (workspace: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${workspace}/${index}`);

it('a workspace that is alone does not wait', async () => {
  const { ask, begun } = await start(patient);
  await ask(...names('a', 10));
  expect(begun).toEqual(names('a', 10));
});

it('while other workspaces send requests, the rest of a flood waits in its own queue', async () => {
  const { ask, begun, end } = await start(patient);
  await ask('b/first');
  await ask(...names('a', 10));
  expect(begun).toEqual(['b/first', 'a/0', 'a/1']);
  await ask('b/second');
  expect(begun).toEqual(['b/first', 'a/0', 'a/1', 'b/second']);
  end('a/1');
  await eventually(() => begun.at(-1)).toBe('a/2');
  end('a/0');
  end('a/2');
  await eventually(() => begun.slice(5)).toEqual(['a/3', 'a/4']);
});

it('a flood that started while no other workspace was active shrinks to its share', async () => {
  const { ask, begun, end } = await start(patient);
  await ask(...names('a', 6));
  await ask('b/first', 'a/late', 'a/later');
  for (const name of ['a/0', 'a/1', 'a/2', 'a/3']) end(name);
  await ask('b/second');
  expect(begun.slice(6)).toEqual(['b/first', 'b/second']);
  end('a/4');
  await eventually(() => begun.at(-1)).toBe('a/late');
  end('a/5');
  await eventually(() => begun.at(-1)).toBe('a/later');
});

it('a workspace with a full queue is refused, and others are not', async () => {
  const { ask, begun, statuses } = await start({ ...patient, maxWaiting: 3 });
  await ask('b/first', ...names('a', 2 + 3));
  expect(statuses).toEqual([]);
  await ask('a/refused', 'b/second');
  await eventually(() => statuses).toEqual(['a/refused 429']);
  expect(begun).toEqual(['b/first', 'a/0', 'a/1', 'b/second']);
});

it('a workspace whose queued bodies are too large in total is refused', async () => {
  const { ask, statuses } = await start({ ...patient, maxWaitingBytes: 100 });
  await ask('b/first', ...names('a', 3));
  await ask('a/body?40', 'a/body?60');
  expect(statuses).toEqual([]);
  await ask('a/body?1');
  await eventually(() => statuses).toEqual(['a/body?1 429']);
});

it('a request that only waits gives its place to the next', async () => {
  const { ask, begun, leaveQueue } = await start(patient);
  await ask('b/first', ...names('a', 3));
  leaveQueue('a/0');
  leaveQueue('a/0');
  await eventually(() => begun.slice(3)).toEqual(['a/2']);
  await ask('a/late');
  expect(begun.slice(3)).toEqual(['a/2']);
});

it('a slow request gives up its place after a while', async () => {
  const { ask, begun } = await start({ ...patient, maxHeldMs: 20 });
  await ask('b/first', ...names('a', 6));
  await eventually(() => begun).toEqual(['b/first', ...names('a', 6)]);
});

it('queued requests of disconnected clients are not started', async () => {
  const { ask, begun, hangUp } = await start(patient);
  await ask('b/first', ...names('a', 50));
  expect(begun).toEqual(['b/first', 'a/0', 'a/1']);
  await hangUp();
  expect(begun).toEqual(['b/first', 'a/0', 'a/1']);
});
