import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { type EmbeddingsServer, startEmbeddingsServer } from './embeddings-server.ts';
import { type KnowledgeUser, knowledgeOf } from './user.ts';
import { startWebSite, type WebSite } from './web-site.ts';

let opened: TestApp;
let names: DnsServer;
let embeddings: EmbeddingsServer;
let silent: { port: number; connections: Set<Socket>; close(): Promise<void> };
let slow: WebSite;
let quick: WebSite;
const released = Promise.withResolvers<void>();

beforeAll(async () => {
  // Every name resolves to this machine, so that each looks like a host.
  names = await startDnsServer(() => ({ addresses: ['127.0.0.1'] }));
  embeddings = await startEmbeddingsServer();
  silent = await startSilentServer();
  slow = await startWebSite();
  quick = await startWebSite();
  opened = await startTestApp({
    environment: {
      OPENAI_BASE_URL: embeddings.url,
      SVC_EMBEDDING_MODEL: 'openai/counted',
      SVC_EGRESS_ALLOW: '127.0.0.1',
      SVC_DNS_SERVERS: names.address,
    },
  });
});
afterAll(async () => {
  released.resolve();
  await opened.stop();
  for (const one of [names, embeddings, silent, slow, quick]) await one.close();
});

/** Takes less to read than an article. */
const plainText = { 'content-type': 'text/plain' };

/** Accepts every connection and never responds. */
async function startSilentServer(): Promise<typeof silent> {
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    connections,
    async close() {
      for (const socket of connections) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function statusesOf(workspaceId: string): Promise<Record<string, number>> {
  const { rows } = await opened.database.acrossWorkspaces.raw(
    `select processing_status as status, count(*)::int as count from knowledge where workspace_id = $1 group by 1`,
    [workspaceId],
  );
  return Object.fromEntries(
    (rows as { status: string; count: number }[]).map((row) => [row.status, row.count]),
  );
}

async function useIn(name: string): Promise<{ id: string; user: KnowledgeUser }> {
  const { id, key } = await opened.makeWorkspace(name);
  return { id, user: knowledgeOf(() => opened, key) };
}

it('sources on unresponsive hosts delay neither another workspace nor other sources of their own workspace', async () => {
  const flooding = await useIn('Flooding');
  const other = await useIn('Other');
  slow.pages['/robots.txt'] = { status: 404 };
  for (let page = 0; page < 20; page += 1) slow.pages[`/${page}`] = { until: released.promise };
  quick.pages['/page'] = { headers: plainText, body: 'A heron stands in the water and waits.' };

  // More than are read for one workspace at the same time.
  const hosts = Array.from({ length: 60 }, (_, host) => `http://host${host}.silent.test:${silent.port}/`);
  const pages = Array.from({ length: 20 }, (_, page) => `${slow.url}/${page}`);
  for (const url of [...hosts, ...pages]) await flooding.user.addUrl(url);
  // The flood has started.
  await expect.poll(() => silent.connections.size).toBeGreaterThan(4);

  const wanted = await Promise.all([
    other.user.addText('A plover runs along the beach.'),
    other.user.addFile('notes.md', '# Notes\n\nA curlew calls at night.'),
    other.user.addUrl(`http://quick.test:${new URL(quick.url).port}/page`),
  ]);
  for (const id of wanted) await other.user.completed(id);
  await flooding.user.completed(await flooding.user.addText('A dunlin among many others.'));

  expect(await statusesOf(other.id)).toEqual({ completed: 3 });
  // The whole flood is still waiting or in progress: no source was dropped.
  const { completed, failed = 0, ...unfinished } = await statusesOf(flooding.id);
  expect({ completed, failed }).toEqual({ completed: 1, failed: 0 });
  expect(Object.values(unfinished).reduce((sum, count) => sum + count, 0)).toBe(80);
});

it('a restart does not count as an attempt, however many pages are being fetched', async () => {
  const service = await startTestApp({
    environment: { SVC_EGRESS_ALLOW: '127.0.0.1', SVC_DNS_SERVERS: names.address },
  });
  const user = knowledgeOf(() => service);
  const waiting = await startSilentServer();
  for (let host = 0; host < 15; host += 1) {
    await user.addUrl(`http://waiting${host}.silent.test:${waiting.port}/`);
  }
  await expect.poll(() => waiting.connections.size).toBe(15);
  await service.app.stop(0);
  await waiting.close();
  const { rows } = await service.database.acrossWorkspaces.raw(
    'select processing_status as status, sum(attempts)::int as attempts, count(*)::int as count from knowledge group by 1',
  );
  expect(rows).toEqual([{ status: 'pending', attempts: 0, count: 15 }]);
  await service.stop();
});

it('one workspace does not wait for all pages of another on the same host', async () => {
  const first = await useIn('First');
  const second = await useIn('Second');
  const site = await startWebSite();
  const gate = Promise.withResolvers<void>();
  site.pages['/robots.txt'] = { status: 404 };
  for (let page = 0; page < 6; page += 1) {
    // Pages that are gone need not be read.
    site.pages[`/first/${page}`] = { status: 410, until: gate.promise };
  }
  site.pages['/second'] = { headers: plainText, body: 'A knot stands in the water.' };
  const pages = [];
  for (let page = 0; page < 6; page += 1) pages.push(await first.user.addUrl(`${site.url}/first/${page}`));
  const visited = (start: string) => site.visits.filter(({ path }) => path.startsWith(start)).length;
  await expect.poll(() => visited('/first/')).toBe(1);
  const id = await second.user.addUrl(`${site.url}/second`);
  await expect.poll(async () => (await second.user.read(id)).processing_status).toBe('processing');
  gate.resolve();
  await second.user.completed(id);
  // It came after one page of the first workspace that was already waiting, or two if it was a little late.
  const order = site.visits.map(({ path }) => path).filter((path) => path !== '/robots.txt');
  expect(order.indexOf('/second')).toBeLessThanOrEqual(3);
  await site.close();
});
