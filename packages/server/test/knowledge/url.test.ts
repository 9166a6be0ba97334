import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sampleOf } from '../support/sample.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { pdf } from './documents.ts';
import { type EmbeddingsServer, startEmbeddingsServer } from './embeddings-server.ts';
import { knowledgeOf } from './user.ts';
import { article, startWebSite, type WebSite } from './web-site.ts';

let embeddings: EmbeddingsServer;
let service: TestApp;
beforeAll(async () => {
  embeddings = await startEmbeddingsServer();
  service = await startTestApp({
    environment: {
      ...embeddings.environment,
      SVC_EGRESS_ALLOW: '127.0.0.1',
    },
  });
});
afterAll(async () => {
  await service.stop();
  await embeddings.close();
});

const knowledge = knowledgeOf(() => service);
const sites: WebSite[] = [];
/** A new site for each test, because robots.txt is cached by host. */
async function newSite(): Promise<WebSite> {
  const site = await startWebSite();
  sites.push(site);
  return site;
}
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});
const text = (word: string) =>
  Array.from(
    { length: 6 },
    (_, index) => `The ${word} is described here at some length, in sentence ${index}.`,
  );

/** Takes less to read than an article. */
const plain = (word: string) => ({ headers: { 'content-type': 'text/plain' }, body: text(word).join(' ') });

describe('a URL', () => {
  it('is read as the article a person would see, with its own title', async () => {
    const site = await newSite();
    site.pages['/cranes'] = { body: article('About Cranes', ...text('crane')) };
    const id = await knowledge.addUrl(`${site.url}/cranes`);
    expect(await knowledge.read(id)).toMatchObject({ title: `${site.url}/cranes`, content_type: 'url' });
    const source = await knowledge.completed(id);
    expect(source).toMatchObject({ title: 'About Cranes', source_url: `${site.url}/cranes` });
    expect(source.content).toContain('The crane is described here');
    expect(source.content).not.toContain('Menu Home Shop');
    const agents = site.visits.map(({ headers }) => headers['user-agent']);
    expect(new Set(agents)).toEqual(new Set(['svc-knowledge/1.0']));
    expect(site.visits.map(({ path }) => path)).toEqual(['/robots.txt', '/cranes']);
  });

  it('keeps a given title', async () => {
    const site = await newSite();
    site.pages['/a'] = { body: article('Theirs', ...text('stilt')) };
    const id = await knowledge.addUrl(`${site.url}/a`, { title: 'Mine' });
    expect(await knowledge.completed(id)).toMatchObject({ title: 'Mine' });
  });

  const kinds: [
    type: string,
    content: string | Uint8Array | (() => Promise<Uint8Array>),
    expected: string,
  ][] = [
    [
      'text/plain; charset=iso-8859-1',
      Buffer.from('Ein Kranich ist ein Vogel. Größe zählt.', 'latin1'),
      'Größe zählt',
    ],
    ['text/markdown', '# Cranes\n\nThey **dance**.', 'dance'],
    ['application/pdf', () => pdf('Cranes', 'Cranes migrate south in winter.'), 'migrate south'],
  ];

  it.each(sampleOf(kinds, 3))('can be %s', async (type, content, expected) => {
    const site = await newSite();
    const body = typeof content === 'function' ? await content() : content;
    site.pages['/file'] = { headers: { 'content-type': type }, body };
    const source = await knowledge.completed(await knowledge.addUrl(`${site.url}/file`));
    expect(source.content).toContain(expected);
  });

  it('may redirect: the final address is kept, and a refresh starts from the original one', async () => {
    const site = await newSite();
    const other = await newSite();
    site.pages['/latest'] = { status: 302, headers: { location: `${other.url}/v1` } };
    other.pages['/v1'] = { body: article('Version one', ...text('first')) };
    other.pages['/v2'] = { body: article('Version two', ...text('second')) };
    const id = await knowledge.addUrl(`${site.url}/latest`);
    expect(await knowledge.completed(id)).toMatchObject({
      title: 'Version one',
      source_url: `${other.url}/v1`,
    });
    site.pages['/latest'] = { status: 302, headers: { location: `${other.url}/v2` } };
    await service.call(`POST /api/v1/knowledge/${id}/refresh`);
    expect(await knowledge.completed(id)).toMatchObject({
      title: 'Version two',
      source_url: `${other.url}/v2`,
    });
  });

  it('fails with a reason when it is private, missing, forbidden, too large or not text', async () => {
    const site = await newSite();
    site.pages['/large'] = { body: 'x'.repeat(5_242_881) };
    site.pages['/round'] = { status: 301, headers: { location: '/round' } };
    site.pages['/image'] = {
      headers: { 'content-type': 'image/png' },
      body: Buffer.from('89504e470d0a1a0a00', 'hex'),
    };
    const reasons: [string, unknown][] = [
      [
        'http://10.1.2.3/',
        expect.stringContaining('10.1.2.3 could not be found, or is not a public address'),
      ],
      [`${site.url}/missing`, 'The page answered 404.'],
      [`${site.url}/large`, 'The page is larger than 5242880 bytes.'],
      [`${site.url}/round`, 'The page redirects more than 5 times.'],
      [`${site.url}/image`, expect.any(String)],
    ];
    const ids = await Promise.all(reasons.map(([url]) => knowledge.addUrl(url)));
    for (const [index, id] of ids.entries()) {
      const [url, error] = reasons[index] as [string, unknown];
      expect.soft(await knowledge.settled(id), url).toMatchObject({ processing_status: 'failed', error });
    }
  });

  it('is retried while its server fails', async () => {
    const site = await newSite();
    let visits = 0;
    site.pages['/busy'] = () => {
      visits += 1;
      return visits < 3 ? { status: 503 } : plain('patience');
    };
    const { content } = await knowledge.completed(await knowledge.addUrl(`${site.url}/busy`));
    expect(content).toContain('patience');
    expect(visits).toBe(3);
  });
});

describe('the fetcher', () => {
  it('does not read what robots.txt disallows, even after a redirect', async () => {
    const site = await newSite();
    const other = await newSite();
    site.pages['/robots.txt'] = {
      headers: { 'content-type': 'text/plain' },
      body: 'User-agent: *\nDisallow: /private\n',
    };
    other.pages['/to'] = { status: 302, headers: { location: `${site.url}/private/a` } };
    site.pages['/private/a'] = plain('secret');
    site.pages['/public'] = plain('open');
    for (const url of [`${site.url}/private/a`, `${other.url}/to`]) {
      expect(await knowledge.settled(await knowledge.addUrl(url))).toMatchObject({
        processing_status: 'failed',
        error: `The robots.txt of ${site.host} asks not to read this page.`,
      });
    }
    await knowledge.completed(await knowledge.addUrl(`${site.url}/public`));
    expect(site.visits.map(({ path }) => path)).toEqual(['/robots.txt', '/public']);
  });

  it('fetches one page of a host at a time, with a pause', async () => {
    const site = await newSite();
    // Pages that are gone need not be read.
    for (const name of ['a', 'b', 'c']) site.pages[`/${name}`] = { status: 410 };
    const ids = await Promise.all(['a', 'b', 'c'].map((name) => knowledge.addUrl(`${site.url}/${name}`)));
    for (const id of ids) expect(await knowledge.settled(id)).toMatchObject({ processing_status: 'failed' });
    expect(site.maxConcurrency()).toBe(1);
    const times = site.visits.map(({ at }) => at);
    expect(times).toHaveLength(4);
    for (const [index, at] of times.slice(1).entries()) {
      expect(at - (times[index] ?? 0)).toBeGreaterThan(900);
    }
  });
});

describe('refreshing', () => {
  it('fetches again and embeds only what changed', async () => {
    const site = await newSite();
    const sections = (third: string) =>
      `<html><head><title>T</title></head><body><article><h1>T</h1>${[...text('one'), third]
        .map(
          (paragraph, index) =>
            `<h2>Section ${index}</h2><p>${paragraph} ${'And more of it. '.repeat(10)}</p>`,
        )
        .join('')}</article></body></html>`;
    site.pages['/doc'] = { body: sections('The old ending.') };
    const id = await knowledge.addUrl(`${site.url}/doc`);
    await knowledge.completed(id);
    const refresh = async () => {
      embeddings.embedded.length = 0;
      await service.call(`POST /api/v1/knowledge/${id}/refresh`);
      await knowledge.completed(id);
      return embeddings.embedded.flat();
    };
    expect(await refresh()).toEqual([]);
    site.pages['/doc'] = { body: sections('The new ending.') };
    const changed = await refresh();
    expect(changed).toHaveLength(1);
    expect(changed[0]).toContain('The new ending.');
    expect((await knowledge.read(id)).content).toContain('The new ending.');
  });

  it('keeps the earlier content if it fails', async () => {
    const site = await newSite();
    site.pages['/doc'] = plain('bittern');
    const id = await knowledge.addUrl(`${site.url}/doc`);
    await knowledge.completed(id);
    site.pages['/doc'] = { status: 410 };
    await service.call(`POST /api/v1/knowledge/${id}/refresh`);
    expect(await knowledge.settled(id)).toMatchObject({
      processing_status: 'failed',
      error: 'The page answered 410.',
      content: expect.stringContaining('bittern'),
    });
    const found = await service.call('POST /api/v1/knowledge/search', { body: { query: 'bittern' } });
    expect(found.body[0]).toMatchObject({ knowledge_id: id });
  });
});
