import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGuardedLane, type GuardedLane } from '../../src/egress/guarded-lane.ts';
import { type OutsideServer, startOutsideServer } from './support.ts';

describe('the fetch for libraries', () => {
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

  it('returns a response as fetch does', async () => {
    server.answerWith((_request, response) => {
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"a":1}');
    });
    const response = await lane.fetch(new URL(`${server.url}/x`), {
      method: 'POST',
      headers: new Headers({ 'x-a': 'b' }),
      body: new URLSearchParams({ q: 'ü' }),
    });
    expect(response).toMatchObject({ status: 201, ok: true, url: `${server.url}/x` });
    expect(await response.json()).toEqual({ a: 1 });
    expect(server.received.at(-1)).toMatchObject({ method: 'POST', body: 'q=%C3%BC' });
    expect(server.received.at(-1)?.headers).toMatchObject({
      'x-a': 'b',
      'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
    });
  });

  it('takes a Request, and handles answers without a body', async () => {
    server.answerWith((_request, response) => response.writeHead(204).end());
    const response = await lane.fetch(new Request(server.url, { method: 'PUT', body: 'text' }));
    expect({ status: response.status, body: response.body }).toEqual({ status: 204, body: null });
    expect(server.received.at(-1)).toMatchObject({ method: 'PUT', body: 'text' });
  });

  it('returns a redirect or fails on it, as requested', async () => {
    server.answerWith((_request, response) =>
      response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
    );
    const response = await lane.fetch(server.url, { redirect: 'manual' });
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe('http://10.0.0.1/');
    await expect(lane.fetch(server.url, { redirect: 'error' })).rejects.toThrow('the 0 times');
  });

  it('streams events as they come, until the reader stops', async () => {
    let closed: () => void = () => undefined;
    const wasClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    let more: () => void = () => undefined;
    server.answerWith((_request, response) => {
      response.on('close', closed);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
      more = () => response.write('data: 2\n\n');
    });
    const response = await lane.fetch(server.url);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe('data: 1\n\n');
    more();
    expect((await reader?.read())?.value).toBe('data: 2\n\n');
    await reader?.cancel();
    await wasClosed;
  });

  it('stops on abort, before and in the middle of an answer', async () => {
    const controller = new AbortController();
    server.answerWith((_request, response) => void response.writeHead(200).write('x'));
    const response = await lane.fetch(server.url, { signal: controller.signal });
    const reading = response.text();
    controller.abort();
    await expect(reading).rejects.toThrow();
    await expect(lane.fetch(server.url, { signal: controller.signal })).rejects.toThrow();
  });

  it('survives a connection that breaks while it is not being read', async () => {
    server.answerWith((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('x');
      setTimeout(() => response.destroy(), 20);
    });
    const response = await lane.fetch(server.url);
    await new Promise((wake) => setTimeout(wake, 100));
    await expect(response.text()).rejects.toThrow();
  });
});
