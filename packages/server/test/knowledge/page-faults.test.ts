import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { createGuardedLane, type GuardedLane } from '../../src/egress/guarded-lane.ts';
import { createPageFetcher, type FetchPage } from '../../src/knowledge/web/fetch-source-page.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { type EmbeddingsServer, startEmbeddingsServer } from './embeddings-server.ts';
import { eventually, knowledgeOf } from './user.ts';
import { startWebSite, type WebSite } from './web-site.ts';

const signal = new AbortController().signal;
let lane: GuardedLane;
let fetchPage: FetchPage;
let site: WebSite;
let service: TestApp;
let embeddings: EmbeddingsServer;
const servers: Server[] = [];
beforeAll(async () => {
  lane = createGuardedLane({ allow: ['127.0.0.1'] });
  embeddings = await startEmbeddingsServer();
  service = await startTestApp({
    environment: { ...embeddings.environment, SVC_EGRESS_ALLOW: '127.0.0.1' },
  });
});
afterAll(async () => {
  await service.stop();
  await embeddings.close();
  await lane.close();
});
beforeEach(async () => {
  fetchPage = createPageFetcher({ lane, pauseMilliseconds: 0 });
  site = await startWebSite();
});
afterEach(async () => {
  await site.close();
  for (const server of servers.splice(0)) server.close();
});

/** Responds to a page with these bytes and closes the connection; there is no robots.txt. */
async function startRawServer(answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (request: Buffer) => {
      if (!request.toString().startsWith('GET /robots.txt')) return answer(socket);
      socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    });
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/page`;
}

describe('a failure in the middle of a page is attributed to its host', () => {
  it('when the connection is closed', async () => {
    const url = await startRawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nThe beginning', () => socket.destroy());
    });
    await expect(fetchPage(url, signal)).rejects.toMatchObject({
      name: 'SourceFailure',
      message: '127.0.0.1 closed the connection.',
      passing: true,
    });
  });

  it('when the body cannot be decoded', async () => {
    const packed = gzipSync('A text that is long enough to be packed. '.repeat(50)).fill(7, 12, 60);
    site.pages['/page'] = { headers: { 'content-encoding': 'gzip' }, body: packed };
    await expect(fetchPage(`${site.url}/page`, signal)).rejects.toMatchObject({
      name: 'SourceFailure',
      message: '127.0.0.1 answered with a body that cannot be decoded.',
    });
  });
});

it('a host that refuses the connection is retried, then reported, and is not an error of the service', async () => {
  const { url, close } = await startWebSite();
  await close();
  const knowledge = knowledgeOf(() => service);
  const id = await knowledge.addUrl(`${url}/page`);
  await eventually(() => knowledge.read(id)).toMatchObject({
    processing_status: expect.stringMatching(/^(pending|processing)$/),
    error: '127.0.0.1 refused the connection.',
  });
  // It waits for a retry; from here on as if it had been tried for a while.
  await eventually(async () => {
    const { rows } = await service.database.acrossWorkspaces.execute(
      sql`update knowledge set attempts = 5
          where id = ${id} and processing_status = 'pending' and attempts > 0 returning id`,
    );
    return rows.length;
  }).toBe(1);
  expect(await knowledge.settled(id)).toMatchObject({
    processing_status: 'failed',
    error: '127.0.0.1 refused the connection.',
  });
});

it('a source that is retried shows why, until it is completed', async () => {
  site.pages['/page'] = { status: 503 };
  const knowledge = knowledgeOf(() => service);
  const id = await knowledge.addUrl(`${site.url}/page`);
  await eventually(() => knowledge.read(id)).toMatchObject({
    processing_status: expect.stringMatching(/^(pending|processing)$/),
    error: 'The page answered 503.',
  });
  site.pages['/page'] = { body: 'A snipe drums at dusk.', headers: { 'content-type': 'text/plain' } };
  expect(await knowledge.settled(id)).toMatchObject({ processing_status: 'completed', error: null });
});

describe('robots.txt', () => {
  const forbidding = { body: 'User-agent: *\nDisallow: /page' };
  const page = { body: 'A page.' };

  it('is followed through redirects, even to another host', async () => {
    const other = await startWebSite();
    site.pages['/robots.txt'] = { status: 301, headers: { location: '/there' } };
    site.pages['/there'] = { status: 302, headers: { location: `${other.url}/rules` } };
    other.pages['/rules'] = forbidding;
    site.pages['/page'] = page;
    await expect(fetchPage(`${site.url}/page`, signal)).rejects.toThrow(
      `The robots.txt of ${site.host} asks not to read this page.`,
    );
    await other.close();
  });

  it('with circular redirects is treated as missing', async () => {
    site.pages['/robots.txt'] = { status: 302, headers: { location: '/robots.txt' } };
    site.pages['/page'] = page;
    expect((await fetchPage(`${site.url}/page`, signal)).bytes.toString()).toBe('A page.');
    expect(site.visits.filter(({ path }) => path === '/robots.txt')).toHaveLength(6);
  });

  it.each([401, 403, 404, 410])('with %i forbids nothing', async (status) => {
    site.pages['/robots.txt'] = { status };
    site.pages['/page'] = page;
    expect((await fetchPage(`${site.url}/page`, signal)).bytes.toString()).toBe('A page.');
  });

  it('that is temporarily unavailable is waited for and requested again', async () => {
    site.pages['/page'] = page;
    site.pages['/robots.txt'] = { status: 503 };
    await expect(fetchPage(`${site.url}/page`, signal)).rejects.toMatchObject({
      name: 'SourceFailure',
      message: `The robots.txt of ${site.host} answered 503.`,
      passing: true,
    });
    site.pages['/robots.txt'] = forbidding;
    await expect(fetchPage(`${site.url}/page`, signal)).rejects.toThrow('asks not to read this page');
    expect(site.visits.map(({ path }) => path)).toEqual(['/robots.txt', '/robots.txt']);
  });

  it('is read up to 500 KiB', async () => {
    const filling = '# nothing\n'.repeat(51_199);
    site.pages['/robots.txt'] = { body: `User-agent: *\nDisallow: /page\n${filling}Allow: /page` };
    site.pages['/page'] = page;
    await expect(fetchPage(`${site.url}/page`, signal)).rejects.toThrow('asks not to read this page');
  });
});

describe('a host', () => {
  const long = { body: 'A long page. '.repeat(30_000) };

  it('is not blocked by a workspace that waits for its own slow pages', async () => {
    for (let page = 0; page < 6; page += 1) site.pages[`/long/${page}`] = long;
    site.pages['/another'] = long;
    site.pages['/small'] = { body: 'A page.' };
    const held = [];
    for (let page = 0; page < 6; page += 1)
      held.push(await fetchPage(`${site.url}/long/${page}`, signal, 'a'));
    const another = fetchPage(`${site.url}/another`, signal, 'a');
    const visits = () => site.visits.filter(({ path }) => path === '/another').length;
    await eventually(visits).toBe(1);
    const small = await fetchPage(`${site.url}/small`, signal, 'b');
    expect(small.bytes.toString()).toBe('A page.');
    expect(visits()).toBe(1);
    held[0]?.release();
    expect((await another).bytes.toString()).toBe(long.body);
    expect(visits()).toBe(2);
  });

  it('is not waited for endlessly', async () => {
    const impatient = createPageFetcher({ lane, pauseMilliseconds: 0, maxWaitMilliseconds: 200 });
    const gate = Promise.withResolvers<void>();
    site.pages['/held'] = { body: 'Held.', until: gate.promise };
    site.pages['/next'] = { body: 'Next.' };
    const first = impatient(`${site.url}/held`, signal, 'a');
    await eventually(() => site.visits.map(({ path }) => path)).toContain('/held');
    await expect(impatient(`${site.url}/next`, signal, 'a')).rejects.toMatchObject({ name: 'WaitedTooLong' });
    expect(site.visits.map(({ path }) => path)).not.toContain('/next');
    gate.resolve();
    expect((await first).bytes.toString()).toBe('Held.');
    expect((await impatient(`${site.url}/next`, signal, 'a')).bytes.toString()).toBe('Next.');
  });
});
