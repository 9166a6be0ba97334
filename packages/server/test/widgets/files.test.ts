import { readFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { widgetFolder } from '../../../widget/build.ts';
import { createBuiltFiles } from '../../src/widgets/files/built-files.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
let loader: string;
let panel: string;
beforeAll(async () => {
  service = await startTestApp();
  loader = await readFile(join(widgetFolder, 'widget.js'), 'utf8');
  ({ panel } = JSON.parse(await readFile(join(widgetFolder, 'manifest.json'), 'utf8')) as { panel: string });
});
afterAll(() => service.stop());

/** Unlike fetch, it leaves the body as it was sent. */
async function get(path: string, headers: Record<string, string> = {}) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(`${service.url}${path}`, { headers }, resolve).once('error', reject).end();
  });
  const body = Buffer.concat(await response.toArray());
  return { status: response.statusCode, headers: response.headers, body };
}

describe('the loader', () => {
  it('is kept for a short time and confirmed by its ETag', async () => {
    const { status, headers, body } = await get('/widget.js');
    expect({ status, text: body.toString() }).toEqual({ status: 200, text: loader });
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    });
    expect(headers['set-cookie']).toBeUndefined();
    const again = await get('/widget.js', { 'if-none-match': `"other", ${headers.etag}` });
    expect({ status: again.status, size: again.body.length }).toEqual({ status: 304, size: 0 });
    expect(again.headers['cache-control']).toBe('public, max-age=300');
  });

  it('names the panel of its own build', () => {
    expect(loader).toContain(panel);
  });

  it('is compressed as the browser accepts it', async () => {
    const br = await get('/widget.js', { 'accept-encoding': 'gzip, deflate, br' });
    expect(br.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(br.body).toString()).toBe(loader);
    const gzip = await get('/widget.js', { 'accept-encoding': 'gzip;q=0.5, br;q=0' });
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.body).toString()).toBe(loader);
    const plain = await get('/widget.js', { 'accept-encoding': 'identity, brotli' });
    expect(plain.headers['content-encoding']).toBeUndefined();
  });
});

describe('the panel', () => {
  it('is cached forever, and any page may import it', async () => {
    const { status, headers } = await get(`/widget/${panel}`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'access-control-allow-origin': '*',
    });
  });

  it('of another release is answered with the current one, which is not cached under that name', async () => {
    const current = await get(`/widget/${panel}`);
    const other = await get('/widget/panel-0123456789abcdef.js?attempt=1');
    expect(other.status).toBe(200);
    expect(other.headers['cache-control']).toBe('no-cache');
    expect(other.body.equals(current.body)).toBe(true);
  });

  it('is the only file of its folder', async () => {
    for (const name of [
      'manifest.json',
      'panel-x.js',
      '..%2Fpackage.json',
      'panel-0123456789abcdef.js.map',
    ]) {
      expect((await get(`/widget/${name}`)).status, name).toBe(404);
    }
  });

  it('explains itself if it is not built', async () => {
    await expect(createBuiltFiles(join(widgetFolder, 'missing'))()).rejects.toMatchObject({
      code: 'NOT_READY',
      message: expect.stringContaining('npm start'),
    });
  });
});

describe('the preview page', () => {
  it('has the snippet of its key, under a strict policy', async () => {
    const { headers, body } = await get('/widget/preview?key=svc_abc-DEF_1');
    expect(headers['content-security-policy']).toContain("script-src 'self'; connect-src 'self'");
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(body.toString()).toContain('data-key="svc_abc-DEF_1"');
  });

  it('contains nothing else of its address', async () => {
    for (const query of ['?key=svc_"><script>alert(1)</script>', '?key=a&key=b', '?other=<b>', '']) {
      const { status, body } = await get(`/widget/preview${encodeURI(query)}`);
      expect(status).toBe(200);
      expect(body.toString()).toContain('Add a widget key');
      expect(body.toString()).not.toMatch(/<script|<b>/);
    }
  });
});
