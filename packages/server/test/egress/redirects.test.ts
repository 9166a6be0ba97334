import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EgressRefused, unknownHost } from '../../src/egress/egress-error.ts';
import { createGuardedLane, type GuardedLane } from '../../src/egress/guarded-lane.ts';
import { type OutsideServer, startOutsideServer } from './support.ts';

describe('redirects', () => {
  let home: OutsideServer;
  let away: OutsideServer;
  let inside: OutsideServer;
  let lane: GuardedLane;

  beforeAll(async () => {
    home = await startOutsideServer();
    away = await startOutsideServer();
    inside = await startOutsideServer();
    lane = createGuardedLane({
      allow: [`127.0.0.1:${home.port}`, `127.0.0.1:${away.port}`],
      resolve: async () => ['127.0.0.1'],
    });
  });
  beforeEach(() => {
    home.received.length = 0;
    away.received.length = 0;
    away.answerWith((_request, response) => response.end('away'));
  });
  afterAll(async () => {
    await lane.close();
    for (const server of [home, away, inside]) await server.close();
  });

  const redirectTo = (location: string, status = 302) =>
    home.answerWith((request, response) => {
      if (request.url === '/end') response.end('end');
      else response.writeHead(status, { location }).end('moved');
    });

  it('are followed, even relative ones', async () => {
    redirectTo('/end');
    expect(await lane.request({ url: home.url })).toMatchObject({ status: 200, url: `${home.url}/end` });
    redirectTo(`//127.0.0.1:${away.port}/x`);
    expect((await lane.request({ url: home.url })).body.toString()).toBe('away');
  });

  it.each([
    'http://127.0.0.1:INSIDE/',
    'http://2130706433:INSIDE/',
    'http://[::ffff:127.0.0.1]:INSIDE/',
    'http://localhost:INSIDE/',
    '//127.0.0.1:INSIDE/',
    'http://169.254.169.254/latest/meta-data/',
    'http://user:password@127.0.0.1:INSIDE/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:INSIDE/',
    'http://[nonsense/',
  ])('to %s are refused', async (location) => {
    redirectTo(location.replace('INSIDE', String(inside.port)));
    await expect(lane.request({ url: home.url })).rejects.toBeInstanceOf(EgressRefused);
    await expect(lane.fetch(home.url)).rejects.toBeInstanceOf(EgressRefused);
    expect(inside.connections()).toBe(0);
  });

  it('to a private name look like those to a name that does not exist', async () => {
    redirectTo(`http://inside.example:${inside.port}/`);
    await expect(lane.request({ url: home.url })).rejects.toEqual(unknownHost('inside.example'));
    await expect(lane.fetch(home.url)).rejects.toThrow(unknownHost('inside.example').message);
    expect(inside.connections()).toBe(0);
  });

  it('are refused at the second hop too', async () => {
    redirectTo(away.url);
    away.answerWith((_request, response) => response.writeHead(302, { location: inside.url }).end());
    await expect(lane.request({ url: home.url })).rejects.toBeInstanceOf(EgressRefused);
    expect(away.received).toHaveLength(1);
    expect(inside.connections()).toBe(0);
  });

  it('are followed five times, not six', async () => {
    home.answerWith((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end('end');
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    expect((await lane.request({ url: `${home.url}/5` })).body.toString()).toBe('end');
    await expect(lane.request({ url: `${home.url}/6` })).rejects.toThrow('more often than the 5 times');
    await expect(lane.fetch(`${home.url}/6`)).rejects.toThrow('more often than the 5 times');
    await expect(lane.request({ url: `${home.url}/1`, maxRedirects: 0 })).rejects.toThrow('the 0 times');
    redirectTo(home.url);
    await expect(lane.request({ url: home.url })).rejects.toThrow('more often');
  });

  it('take no secret to another origin, nor back to the first one afterwards', async () => {
    redirectTo(`${away.url}/`, 307);
    away.answerWith((_request, response) => response.writeHead(307, { location: `${home.url}/end` }).end());
    const secrets = { Authorization: 'Bearer s', Cookie: 's', 'X-Api-Key': 's', 'X-Other': 'o' };
    const answer = await lane.request({
      url: home.url,
      method: 'POST',
      headers: secrets,
      body: 'b',
      secretHeaders: ['x-API-key'],
    });
    expect(answer.body.toString()).toBe('end');
    expect(home.received[0]?.headers).toMatchObject({
      authorization: 'Bearer s',
      cookie: 's',
      'x-api-key': 's',
    });
    for (const { headers, body } of [away.received[0], home.received[1]].filter((one) => one !== undefined)) {
      expect(headers).not.toHaveProperty('authorization');
      expect(headers).not.toHaveProperty('cookie');
      expect(headers).not.toHaveProperty('x-api-key');
      expect(headers).toMatchObject({ 'x-other': 'o' });
      expect(body).toBe('b');
    }
  });

  it('keep secrets within an origin', async () => {
    redirectTo('/end');
    await lane.request({ url: home.url, headers: { authorization: 'Bearer s' } });
    expect(home.received[1]?.headers).toMatchObject({ authorization: 'Bearer s' });
  });

  it('of fetch take only harmless headers to another origin', async () => {
    redirectTo(away.url, 307);
    await lane.fetch(home.url, {
      method: 'POST',
      headers: { authorization: 's', 'mcp-session-id': 's', accept: 'text/event-stream' },
      body: '{}',
    });
    expect(away.received[0]?.headers).toMatchObject({ accept: 'text/event-stream' });
    expect(JSON.stringify(away.received[0]?.headers)).not.toContain('"s"');
    expect(away.received[0]?.body).toBe('{}');
  });

  it('go only where the caller allows them', async () => {
    redirectTo(away.url);
    const mayVisit = (url: URL) => url.port === String(home.port);
    await expect(lane.request({ url: home.url, mayVisit })).rejects.toThrow('not one of the allowed hosts');
    await expect(lane.request({ url: away.url, mayVisit })).rejects.toThrow('not one of the allowed hosts');
    expect(away.received).toEqual([]);
  });

  it('turn POST into GET', async () => {
    redirectTo('/end', 303);
    await lane.request({ url: home.url, method: 'POST', headers: { 'content-type': 'a/b' }, body: 'x' });
    expect(home.received[1]).toMatchObject({ method: 'GET', body: '' });
    expect(home.received[1]?.headers).not.toHaveProperty('content-type');
  });
});
