import { get, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleStage, type Desk, openConsole } from './support/console.ts';

let stage: ConsoleStage;
let viewer: Desk;
beforeAll(async () => {
  stage = await openConsole();
  viewer = await stage.signIn('viewer');
});
afterAll(() => stage.stop());

test('a member sees the workspace', async () => {
  const desk = await stage.signIn('operator', { device: 'phone', theme: 'dark' });
  await desk.go('/');
  expect(await desk.page.locator('h1').innerText()).toBe('Overview');
  // The overview counts days of UTC, wherever the member is.
  const today = desk.page.getByRole('link', { name: '0 conversations' });
  expect(decodeURIComponent((await today.getAttribute('href')) ?? '')).toMatch(
    /\?from=[\d-]+T00:00:00\.000Z$/,
  );
  expect(desk.complaints).toEqual([]);
  expect((await desk.call('GET /api/v1/bots')).status).toBe(200);
});

test('a link moves the focus to the heading of its page, and an address without a page says so', async () => {
  const { page, go, complaints } = viewer;
  const before = complaints.length;
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  await go('/nowhere/at/all');
  expect(await page.title()).toMatch(/^Not found/);
  await page.getByRole('link', { name: 'Go to the overview' }).click();
  await expect.poll(focused).toBe('Overview');
  await page.getByRole('navigation').getByRole('link', { name: 'Knowledge' }).click();
  await expect.poll(focused).toBe('Knowledge');
  expect(complaints.slice(before)).toEqual([]);
});

test('a page that cannot be loaded says so, and the others still work', async () => {
  const { page, go } = viewer;
  await go('/');
  await page.route(/\/console\/usage-page-/, (route) => route.abort());
  await page.getByRole('navigation').getByRole('link', { name: 'Usage' }).click();
  await page.getByText('This page could not be shown').last().waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Knowledge' }).click();
  await page.getByRole('heading', { level: 1, name: 'Knowledge' }).waitFor();
});

test('a page that was never loaded waits for the connection', async () => {
  const { page, go } = viewer;
  await go('/');
  await page.context().setOffline(true);
  await page.getByRole('navigation').getByRole('link', { name: 'Machines' }).click();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.context().setOffline(false);
  await page.getByRole('heading', { level: 1, name: 'Machines' }).waitFor();
});

describe('files', () => {
  const read = (path: string, headers: Record<string, string> = {}) => fetch(stage.url + path, { headers });

  test('every response of the page allows its own styles only, in the theme of the cookie', async () => {
    const answer = await read('/sign-in', { cookie: 'other=1; svc_theme=dark' });
    const policy = answer.headers.get('content-security-policy') ?? '';
    const [, nonce = ''] = /style-src 'self' 'nonce-([^']+)'/.exec(policy) ?? [];
    const page = await answer.text();
    expect(page).toContain('data-theme="dark"');
    expect(page).toContain(`nonce="${nonce}"`);
    expect(policy.replace(nonce, '').split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'nonce-'",
      "img-src 'self' data: blob:",
      "connect-src 'self'",
      "media-src 'self'",
      "manifest-src 'self'",
      "frame-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    // The addresses of one-time links have their token.
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
    });

    const other = await read('/sign-in', { cookie: 'svc_theme="><script>' });
    expect(other.headers.get('content-security-policy')).not.toContain(nonce);
    expect(await other.text()).toContain('data-theme="system"');
  });

  test('files are sent compressed, may be kept forever, and are compared by their content', async () => {
    const [path = ''] = /\/console\/[\w-]+\.js/.exec(await (await read('/')).text()) ?? [];
    const plain = Buffer.from(await (await read(path, { 'accept-encoding': 'identity' })).arrayBuffer());
    for (const [encoding, decode] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const { headers, payload } = await raw(path, encoding);
      expect(headers['content-encoding']).toBe(encoding);
      expect(decode(payload).equals(plain)).toBe(true);
    }
    expect((await raw(path, 'br;q=0, gzip')).headers['content-encoding']).toBe('gzip');
    const { headers } = await read(path);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('vary')).toBe('accept-encoding');
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect((await read(path, { 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
    expect((await read('/console/app.webmanifest')).headers.get('cache-control')).toBe('no-cache');
    expect((await read('/console/..%2findex.html')).status).toBe(404);
    expect((await read('/console/index.html')).status).toBe(404);
  });
});

/** As it is sent: `fetch` would decode it. */
function raw(path: string, encoding: string): Promise<{ headers: IncomingHttpHeaders; payload: Buffer }> {
  return new Promise((resolve, reject) => {
    get(stage.url + path, { headers: { 'accept-encoding': encoding } }, (answer) => {
      buffer(answer).then((payload) => resolve({ headers: answer.headers, payload }), reject);
    }).on('error', reject);
  });
}
