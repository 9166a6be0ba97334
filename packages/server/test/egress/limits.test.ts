import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EgressFailed } from '../../src/egress/egress-error.ts';
import { createGuardedLane, type GuardedLane } from '../../src/egress/guarded-lane.ts';
import { type OutsideServer, startOutsideServer } from './support.ts';

const megabyte = 1024 * 1024;

describe('limits of the guarded lane', () => {
  let server: OutsideServer;
  let lane: GuardedLane;
  beforeAll(async () => {
    server = await startOutsideServer();
    lane = createGuardedLane({ allow: ['127.0.0.1'] });
  });
  afterAll(async () => {
    await lane.close();
    await server.close();
  });

  const answer = (body: Buffer | string, headers: Record<string, string> = {}) =>
    server.answerWith((_request, response) => response.writeHead(200, headers).end(body));

  const brotli = (text: string | Buffer) =>
    brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  const encoders = {
    gzip: gzipSync,
    'x-gzip': gzipSync,
    br: brotli,
    deflate: deflateSync,
    'gzip, br': (text: string | Buffer) => brotli(gzipSync(text)),
    identity: (text: string | Buffer) => Buffer.from(text),
  };

  it.each(Object.entries(encoders))('decodes %s', async (name, encode) => {
    answer(encode('hello'), { 'content-encoding': name });
    const { body, headers } = await lane.request({ url: server.url });
    expect(body.toString()).toBe('hello');
    if (name !== 'identity') expect(headers).not.toHaveProperty('content-encoding');
    expect(await (await lane.fetch(server.url)).text()).toBe('hello');
  });

  it('decodes raw deflate, and empty bodies', async () => {
    answer(deflateRawSync('hello'), { 'content-encoding': 'deflate' });
    expect((await lane.request({ url: server.url })).body.toString()).toBe('hello');
    for (const encoding of ['gzip', 'deflate', 'br']) {
      answer('', { 'content-encoding': encoding });
      expect((await lane.request({ url: server.url })).body.toString()).toBe('');
    }
  });

  it.each(Object.entries(encoders))('cuts a bomb of %s at the decoded size', async (name, encode) => {
    answer(encode(Buffer.alloc(30 * megabyte)), { 'content-encoding': name });
    const before = process.memoryUsage().arrayBuffers;
    const { body, truncated } = await lane.request({ url: server.url, maxResponseBytes: 10_000 });
    expect({ length: body.length, truncated }).toEqual({ length: 10_000, truncated: true });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * megabyte);
  });

  it('ends a fetch whose body is too long, and does not read it into memory', async () => {
    answer(gzipSync(Buffer.alloc(20 * megabyte)), { 'content-encoding': 'gzip' });
    const response = await lane.fetch(server.url);
    await expect(response.arrayBuffer()).rejects.toThrow();
  });

  it('accepts exactly the limit without truncating', async () => {
    answer('x'.repeat(1_000));
    const request = (maxResponseBytes: number) => lane.request({ url: server.url, maxResponseBytes });
    expect(await request(1_000)).toMatchObject({ truncated: false });
    expect(await request(999)).toMatchObject({ truncated: true });
  });

  it.each(['gzip', 'br', 'deflate', 'zstd', 'gzip,gzip,gzip'])(
    'says that broken %s cannot be read',
    async (name) => {
      answer('this is not compressed', { 'content-encoding': name });
      const failure = lane.request({ url: server.url });
      await expect(failure).rejects.toBeInstanceOf(EgressFailed);
      await expect(failure).rejects.toThrow(/decoded|encoded/);
    },
  );

  it.each<[string, (response: ServerResponse) => void]>([
    ['never answers', () => undefined],
    ['never ends', (response) => void response.writeHead(200).write('x')],
    ['drips', drip],
    [
      'drips in a redirect',
      (response) => {
        response.writeHead(302, { location: '/' });
        drip(response);
      },
    ],
    [
      'redirects slowly',
      (response) => void setTimeout(() => response.writeHead(302, { location: '/' }).end(), 120),
    ],
  ])('a server that %s is given up in time', async (_name, behave) => {
    server.answerWith((_request, response) => behave(response));
    await expect(lane.request({ url: server.url, timeoutMs: 300 })).rejects.toThrow(
      '127.0.0.1 did not answer in full within 0.3 seconds.',
    );
  });

  it('a resolver that never answers is given up in time', async () => {
    const stuck = createGuardedLane({ allow: [], resolve: () => new Promise(() => undefined) });
    await expect(stuck.request({ url: 'http://slow.example', timeoutMs: 200 })).rejects.toThrow('within 0.2');
    await stuck.close();
  });

  it('stops when the caller aborts, with the caller’s reason', async () => {
    server.answerWith((_request, response) => void response.writeHead(200).write('x'));
    const controller = new AbortController();
    const running = lane.request({ url: server.url, signal: controller.signal });
    const reason = new Error('enough');
    setTimeout(() => controller.abort(reason), 50);
    await expect(running).rejects.toBe(reason);
    await expect(lane.request({ url: server.url, signal: controller.signal })).rejects.toBe(reason);
  });

  it('says that a cut connection was cut', async () => {
    server.answerWith((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('x', () => response.destroy());
    });
    await expect(lane.request({ url: server.url })).rejects.toThrow('127.0.0.1 closed the connection.');
  });

  it('refuses endless headers', async () => {
    server.answerWith((_request, response) => response.writeHead(200, { a: 'x'.repeat(100_000) }).end());
    await expect(lane.request({ url: server.url })).rejects.toThrow('headers that are too long');
  });
});

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write('x'), 20);
  response.on('close', () => clearInterval(timer));
}
