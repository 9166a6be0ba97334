import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createGuardedLane, type GuardedLane } from '../../src/egress/guarded-lane.ts';
import type { Configuration, ToolType } from '../../src/tools/tool-type.ts';
import { createHttpRequestType } from '../../src/tools/types/http-request/http-request-type.ts';
import { type OutsideServer, startOutsideServer } from '../egress/support.ts';
import { callTool } from './support.ts';

const secret = 'planted/secret+7f3a9';
let api: OutsideServer;
let away: OutsideServer;
let issuer: OutsideServer;
let lane: GuardedLane;
let type: ToolType;
let now: Date;
beforeAll(async () => {
  api = await startOutsideServer();
  away = await startOutsideServer();
  issuer = await startOutsideServer();
  lane = createGuardedLane({ allow: ['127.0.0.1'] });
});
beforeEach(() => {
  now = new Date('2030-01-01T00:00:00Z');
  type = createHttpRequestType({ lane, clock: { now: () => now } });
  for (const server of [api, away, issuer]) server.received.length = 0;
  api.answerWith(echo);
  away.answerWith(echo);
});
afterAll(async () => {
  await lane.close();
  for (const server of [api, away, issuer]) await server.close();
});

type Listener = Parameters<OutsideServer['answerWith']>[0];
/** A server that echoes everything it received, in several ways. */
const echo: Listener = (request, response) => {
  const everything = { headers: request.headers, url: request.url, encoded: encodeURIComponent(secret) };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(everything));
};
const fail: Listener = (request, response) =>
  response.writeHead(500).end(`wrong: ${request.headers.authorization} ${JSON.stringify(request.headers)}`);

const ways: Record<string, { configuration: Configuration; sent: Record<string, string> }> = {
  bearer: {
    configuration: { auth_type: 'bearer', bearer_token: secret },
    sent: { authorization: `Bearer ${secret}` },
  },
  basic: {
    configuration: { auth_type: 'basic', basic_username: 'ann', basic_password: secret },
    sent: { authorization: `Basic ${Buffer.from(`ann:${secret}`).toString('base64')}` },
  },
  header: {
    configuration: { auth_type: 'header', header_name: 'X-Api-Key', header_value: secret },
    sent: { 'x-api-key': secret },
  },
};

function expectClean(value: unknown): void {
  const text = JSON.stringify(value);
  const forms = [secret, encodeURIComponent(secret), Buffer.from(`ann:${secret}`).toString('base64')];
  for (const form of forms) expect(text).not.toContain(form);
  expect(text).toContain('***');
}

describe.each(Object.entries(ways))('%s', (_name, { configuration, sent }) => {
  it('is sent and never shown', async () => {
    const url = `${api.url}/?key=${encodeURIComponent(secret)}`;
    const request = { url, method: 'POST', body: { key: secret }, ...configuration };
    const fine = await callTool(type, request);
    expect(api.received[0]?.headers).toMatchObject(sent);
    expect(fine.status).toBe('ok');
    expectClean(fine);
    expectClean(fine.resolvedRequest);
    expectClean(fine.resolvedRequest?.url);
    expectClean(fine.resolvedRequest?.body);
    expectClean(fine.content);
    api.answerWith(fail);
    const failure = await callTool(type, request);
    expect(failure.status).toBe('error');
    expectClean(failure);
    expectClean(failure.content);
  });

  it('is not sent along a redirect to another host', async () => {
    api.answerWith((_request, response) => response.writeHead(307, { location: away.url }).end());
    const result = await callTool(type, {
      url: api.url,
      headers: { 'X-Other-Key': 'k-12345', accept: 'application/json' },
      ...configuration,
    });
    expect(result.status).toBe('ok');
    expect(away.received).toHaveLength(1);
    expect(JSON.stringify(away.received)).not.toContain(secret);
    expect(JSON.stringify(away.received)).not.toContain('k-12345');
    expect(away.received[0]?.headers).toMatchObject({ accept: '*/*' });
    for (const header of Object.keys(sent)) expect(away.received[0]?.headers).not.toHaveProperty(header);
  });

  it('is sent along redirects within its host', async () => {
    api.answerWith((request, response) => {
      if (request.url === '/end') return echo(request, response);
      return response.writeHead(302, { location: '/end' }).end();
    });
    await callTool(type, { url: api.url, ...configuration });
    expect(api.received[1]?.headers).toMatchObject(sent);
  });
});

describe('a redirect to another origin', () => {
  const redirectAway = (status: number) =>
    api.answerWith((_request, response) => response.writeHead(status, { location: away.url }).end());
  const names = [
    'User-Agent',
    'Accept',
    'Accept-Language',
    'Accept-Encoding',
    'X-Whatever',
    'Content-Language',
  ];

  it.each(names)('does not get a secret in %s', async (name) => {
    redirectAway(307);
    const result = await callTool(type, {
      url: api.url,
      auth_type: 'header',
      header_name: name,
      header_value: secret,
    });
    expect(result.status).toBe('ok');
    expect(api.received[0]?.headers).toMatchObject({ [name.toLowerCase()]: secret });
    expect(away.received).toHaveLength(1);
    expect(JSON.stringify(away.received)).not.toContain(secret);
    expect(away.received[0]?.headers).toMatchObject({ 'user-agent': 'svc', accept: '*/*' });
  });

  it.each(names)('does not get the value of a fixed %s', async (name) => {
    redirectAway(302);
    await callTool(type, { url: api.url, method: 'POST', body: {}, headers: { [name]: 'token k-12345' } });
    expect(api.received[0]?.headers).toMatchObject({ [name.toLowerCase()]: 'token k-12345' });
    expect(away.received).toHaveLength(1);
    expect(JSON.stringify(away.received)).not.toContain('k-12345');
  });

  it.each([307, 308])('does not get a body by %i', async (status) => {
    redirectAway(status);
    const result = await callTool(type, { url: api.url, method: 'POST', body: { api_key: 'k-12345' } });
    expect(api.received[0]?.body).toContain('k-12345');
    expect(away.received).toEqual([]);
    expect(result).toMatchObject({
      status: 'error',
      content: expect.stringContaining('redirects to another origin'),
    });
  });
});

describe('oauth2_client_credentials', () => {
  const configuration = () => ({
    url: api.url,
    auth_type: 'oauth2_client_credentials',
    oauth_token_url: `${issuer.url}/token`,
    oauth_client_id: 'my:client',
    oauth_client_secret: secret,
    oauth_scope: 'read write',
  });
  let issued: number;
  beforeEach(() => {
    issued = 0;
    issuer.answerWith((_request, response) => {
      issued += 1;
      const token = { access_token: `token-${issued}-abcdef`, token_type: 'Bearer', expires_in: 3600 };
      // Slow enough for other calls to arrive meanwhile.
      setTimeout(() => response.end(JSON.stringify(token)), 30);
    });
  });
  const sentTokens = () => api.received.map(({ headers }) => headers.authorization);

  it('fetches a token with the credentials and keeps it until shortly before it expires', async () => {
    const first = await callTool(type, configuration());
    expect(first.status).toBe('ok');
    expectClean(first);
    expect(JSON.stringify(first)).not.toContain('token-1');
    expect(first.resolvedRequest?.headers['authorization']).toBe('Bearer ***');
    const pair = `my%3Aclient:${encodeURIComponent(secret)}`;
    expect(issuer.received[0]).toMatchObject({
      method: 'POST',
      body: 'grant_type=client_credentials&scope=read+write',
      headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
    });
    now = new Date(now.getTime() + 3_500_000);
    await callTool(type, configuration());
    now = new Date(now.getTime() + 75_000);
    await callTool(type, configuration());
    expect(sentTokens()).toEqual(['token-1', 'token-1', 'token-2'].map((token) => `Bearer ${token}-abcdef`));
  });

  it('requests one token, however many calls wait for it', async () => {
    await Promise.all(Array.from({ length: 10 }, () => callTool(type, configuration())));
    expect(issued).toBe(1);
    expect(new Set(sentTokens()).size).toBe(1);
  });

  it('does not share a token between different credentials', async () => {
    await callTool(type, configuration());
    await callTool(type, { ...configuration(), oauth_client_secret: 'another-secret' });
    await callTool(type, { ...configuration(), oauth_scope: 'read' });
    expect(issued).toBe(3);
  });

  it('retries once with a new token when the first is rejected', async () => {
    api.answerWith((request, response) => {
      const isOld = request.headers.authorization?.includes('token-1');
      response.writeHead(isOld ? 401 : 200).end(isOld ? 'expired' : 'fine');
    });
    expect((await callTool(type, configuration())).content).toContain('fine');
    expect((await callTool(type, configuration())).content).toContain('fine');
    expect(issued).toBe(2);
    api.received.length = 0;
    api.answerWith((_request, response) => response.writeHead(401).end('never'));
    expect((await callTool(type, configuration())).status).toBe('error');
    expect(api.received).toHaveLength(2);
  });

  it('sends the credentials in the body when basic authentication is rejected', async () => {
    issuer.answerWith((request, response) => {
      if (request.headers.authorization) response.writeHead(401).end('{"error":"invalid_client"}');
      else response.end('{"access_token":"from-the-body"}');
    });
    expect((await callTool(type, configuration())).status).toBe('ok');
    expect(issuer.received[1]?.body).toContain(`client_secret=${encodeURIComponent(secret)}`);
    expect(sentTokens()).toEqual(['Bearer from-the-body']);
  });

  it("reports the issuer's error without the secret, and requests a token again the next time", async () => {
    issuer.answerWith((request, response) => {
      const error = `invalid ${secret} ${request.headers.authorization}`;
      response.writeHead(403).end(JSON.stringify({ error }));
    });
    const result = await callTool(type, configuration());
    expect(result).toMatchObject({
      status: 'error',
      content: expect.stringContaining('answered 403: invalid'),
    });
    expectClean(result);
    expect(JSON.stringify(result)).not.toContain(Buffer.from(secret).toString('base64').slice(0, 12));
    expect(api.received).toEqual([]);
    issuer.answerWith((_request, response) => response.end('{"access_token":"good-token"}'));
    expect((await callTool(type, configuration())).status).toBe('ok');
  });

  it('does not send the secret along a redirect of the issuer', async () => {
    issuer.answerWith((_request, response) => response.writeHead(307, { location: away.url }).end());
    expect((await callTool(type, configuration())).status).toBe('error');
    expect(away.received).toEqual([]);
  });

  it('fetches no token from a private network', async () => {
    const guarded = createGuardedLane({ allow: [`127.0.0.1:${api.port}`] });
    const strict = createHttpRequestType({ lane: guarded, clock: { now: () => now } });
    const result = await callTool(strict, configuration());
    expect(result).toMatchObject({
      status: 'error',
      content: expect.stringContaining('not a public address'),
    });
    expect(issuer.received).toEqual([]);
    await guarded.close();
  });
});
