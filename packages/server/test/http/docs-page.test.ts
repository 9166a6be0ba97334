import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { validate } from '@hyperjump/json-schema/openapi-3-1';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, startBrowser } from '../support/browser.ts';
import { readOperations } from '../support/operations.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const docs = join(import.meta.dirname, '../../../../docs');

let service: TestApp;
let browser: Browser;
beforeAll(async () => {
  service = await startTestApp();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await service.stop();
});

/** Uses a new connection each time, because a reused one may be closed at that moment. */
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}${path}`, { headers: { connection: 'close', ...headers }, redirect: 'manual' });
const linksOf = (html: string) => [...html.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href);

/** What a page needs for screen readers and keyboards. */
function outline(page: Page) {
  return page.evaluate(() => ({
    language: document.documentElement.lang,
    title: document.title,
    mains: document.querySelectorAll('main').length,
    headings: [...document.querySelectorAll('h1')].map((heading) => heading.textContent?.trim()),
    unnamed: [...document.querySelectorAll('a[href], button')].filter(
      (one) => !(one.getAttribute('aria-label') ?? one.textContent)?.trim(),
    ).length,
    unreachable: [...document.querySelectorAll('pre, .table')].filter(
      (one) => one.scrollWidth > one.clientWidth && one.getAttribute('tabindex') !== '0',
    ).length,
    tooWide: document.documentElement.scrollWidth - window.innerWidth,
  }));
}

describe('the reference', () => {
  it('shows an operation and sends it with the pasted key, under any host name', async () => {
    const { page, complaints, requested } = await browser.open();
    const origin = `http://localhost:${new URL(service.url).port}`;
    await page.goto(`${origin}/docs/reference#tag/bots/POST/api/v1/bots`);
    await page.getByRole('heading', { name: 'Create a bot' }).waitFor({ state: 'visible' });
    await page
      .getByRole('complementary')
      .getByText('Read a bot', { exact: true })
      .waitFor({ state: 'visible' });
    await page.getByPlaceholder('Token').first().fill(service.key);
    await page.getByRole('button', { name: '(post /api/v1/bots)' }).click();
    const answered = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.getByRole('button', { name: 'Send', exact: false }).last().click();
    expect((await answered).status()).toBe(201);
    await page.getByRole('link', { name: '201 Created' }).waitFor({ state: 'visible' });
    expect((await service.call('GET /api/v1/bots')).body).toMatchObject([{ name: 'Support' }]);

    expect(await outline(page)).toMatchObject({ language: 'en', title: 'API reference · svc', tooWide: 0 });
    expect(complaints).toEqual([]);
    expect(requested.filter((url) => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual([]);
    await page.close();
  });

  it('is a file that is cached forever and sent compressed', async () => {
    const page = await (await get('/docs/reference')).text();
    const script = /src="(\/docs\/assets\/scalar-\w+\.js)"/.exec(page)?.[1] ?? '';
    const plain = await get(script, { 'accept-encoding': 'identity' });
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(plain.headers.get('content-encoding')).toBeNull();
    const text = await plain.text();
    expect(text.length).toBeGreaterThan(1_000_000);
    const small = await service.call(`GET ${script}`, {
      headers: { 'accept-encoding': 'gzip' },
      headOnly: true,
    });
    expect(small.headers.get('content-encoding')).toBe('gzip');
    expect(Number(small.headers.get('content-length'))).toBeLessThan(text.length / 3);
  });
});

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { body } = await service.call('GET /openapi.json');
    const outcome = await validate('https://spec.openapis.org/oas/3.1/schema-base', body, 'BASIC');
    expect(outcome).toEqual({ valid: true });
  });

  it('names each operation once and never renames it', async () => {
    const operations = await readOperations(service);
    const ids = operations.map(({ id }) => id);
    expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]+)+$/.test(id ?? ''))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    // Clients are generated with these names, so changing or removing one breaks them. Add new ones with -u.
    expect(operations.map(({ id, name }) => `${id}: ${name}`).toSorted()).toMatchSnapshot();
  });

  it('explains each group of operations, and has none for pages and their files', async () => {
    const { body } = await service.call('GET /openapi.json');
    const described = body.tags.map(
      (tag: { name: string; description: string }) => tag.description && tag.name,
    );
    const used = (await readOperations(service)).flatMap(({ tags }) => tags);
    expect(described).toEqual(expect.arrayContaining([...new Set(used)]));
    expect(Object.keys(body.paths).filter((path) => path.startsWith('/docs'))).toEqual([]);
    expect(body.servers).toHaveLength(2);
  });
});

describe('the guides', () => {
  it('are shown with their titles, fit on a phone and cause no browser errors', async () => {
    const { page, complaints, requested } = await browser.open();
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(`${service.url}/docs`);
    expect(await outline(page)).toMatchObject({
      mains: 1,
      headings: ['Documentation'],
      unnamed: 0,
      tooWide: 0,
    });
    await page.getByText('All pages').click();
    await page.getByRole('link', { name: 'Tools', exact: true }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Tools', exact: true }).waitFor({ state: 'visible' });
    expect(await outline(page)).toEqual({
      language: 'en',
      title: 'Tools · svc',
      mains: 1,
      headings: ['Tools'],
      unnamed: 0,
      unreachable: 0,
      tooWide: 0,
    });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor({ state: 'visible' });
    expect(complaints).toEqual([]);
    expect(requested.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:'))).toEqual([]);
    await page.close();
  });

  it('are all there, and no page has a broken link', async () => {
    const names = (await readdir(docs)).filter((file) => file.endsWith('.md') && file !== 'README.md');
    const landing = await (await get('/docs')).text();
    const navigation = /<aside.*?<\/aside>/s.exec(landing)?.[0] ?? '';
    for (const name of names) expect(navigation).toContain(`href="/docs/guides/${name.replace('.md', '')}"`);
    expect([...navigation.matchAll(/<p>(.+?)<\/p>/g)].map(([, group]) => group)).toEqual([
      'Start',
      'Build',
      'Channels',
      'Operate',
      'Reference',
      'Background',
    ]);

    const seen = new Map<string, string>();
    const waiting = ['/docs'];
    for (let path = waiting.shift(); path; path = waiting.shift()) {
      if (seen.has(path)) continue;
      const answer = await get(path);
      expect.soft(answer.status, path).toBe(200);
      const html = (answer.headers.get('content-type') ?? '').startsWith('text/html')
        ? await answer.text()
        : '';
      seen.set(path, html);
      waiting.push(
        ...linksOf(html).flatMap((href) => (href.startsWith('/') ? (href.split('#')[0] ?? []) : [])),
      );
    }
    for (const [path, html] of seen) {
      for (const href of linksOf(html).filter((one) => one.includes('#'))) {
        const [target, fragment] = href.split('#');
        expect.soft(seen.get(target || path), `${path}: ${href}`).toContain(`id="${fragment}"`);
      }
    }
    expect([...seen.keys()]).toEqual(expect.arrayContaining(['/docs/reference', '/docs/decisions']));
  });

  it.each(['overview', 'life-of-a-message'])(
    'show %s with labels that fit into their boxes',
    async (name) => {
      const { page } = await browser.open();
      await page.setContent(await readFile(join(docs, `images/${name}.svg`), 'utf8'));
      const crossed = await page.evaluate(() => {
        const boxes = [...document.querySelectorAll('rect')].map((box) => box.getBBox());
        return [...document.querySelectorAll('text')].flatMap((text) => {
          const { x, y, width, height } = text.getBBox();
          const around = boxes.filter((box) => {
            const centre = { x: x + width / 2 - box.x, y: y + height / 2 - box.y };
            return centre.x > 0 && centre.x < box.width && centre.y > 0 && centre.y < box.height;
          });
          const margin = Math.min(...around.flatMap((box) => [x - box.x, box.x + box.width - x - width]));
          return margin < 8 ? [text.textContent] : [];
        });
      });
      expect(crossed).toEqual([]);
      await page.close();
    },
  );

  it('contain the text of their files', async () => {
    const source = await readFile(join(docs, 'configuration.md'), 'utf8');
    const html = await (await get('/docs/guides/configuration')).text();
    for (const [, name] of source.matchAll(/`(SVC_\w+)`/g)) expect(html).toContain(`<code>${name}</code>`);
    expect(html).toContain('<meta name="description" content="Everything has a default;');
    expect(html).toContain('href="/docs/guides/money-and-limits#limits"');
  });

  it('show their pictures', async () => {
    const html = await (await get('/docs/guides/life-of-a-message')).text();
    const picture = /src="(\/docs\/assets\/life-of-a-message-\w+\.svg)" alt="The life of a message"/.exec(
      html,
    )?.[1];
    const answer = await get(picture ?? '');
    expect(answer.headers.get('content-type')).toBe('image/svg+xml');
  });

  it.each([
    '/docs/guides/nothing',
    '/docs/guides/..%2f..%2fpackage',
    '/docs/guides/tools.md',
    '/docs/guides/README',
    '/docs/decisions/tools',
    '/docs/assets/docs.css',
    '/docs/assets/..%2fassets.ts',
  ])('do not show %s', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: 'NOT_FOUND' });
  });
});
