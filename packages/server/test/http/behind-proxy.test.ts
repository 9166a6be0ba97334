import { afterEach, describe, expect, it } from 'vitest';
import { makeMember, memberPassword } from '../support/members.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp | undefined;
afterEach(async () => {
  await service?.stop();
  service = undefined;
});

async function open(environment: Record<string, string>, ahead = { milliseconds: 0 }): Promise<TestApp> {
  service = await startTestApp({
    environment,
    clock: { now: () => new Date(Date.now() + ahead.milliseconds) },
  });
  return service;
}

async function signIn({ url, call }: TestApp, email: string, headers: Record<string, string>) {
  const own = { origin: url, 'x-svc-console': '1', ...headers };
  const answer = await call('POST /api/console/sign-in', {
    key: null,
    body: { email, password: memberPassword },
    headers: own,
  });
  expect(answer.status).toBe(200);
  return {
    cookies: answer.headers.getSetCookie(),
    hsts: answer.headers.get('strict-transport-security'),
  };
}

const overTls = { 'x-forwarded-proto': 'https' };

describe('TLS in front of the service', () => {
  it('is known by the header of a trusted proxy: cookies are secure, and browsers stay with https', async () => {
    const app = await open({ SVC_TRUSTED_PROXIES: '127.0.0.1' });
    const { email } = await makeMember(app, { role: 'viewer' });
    const { cookies, hsts } = await signIn(app, email, overTls);
    expect(cookies).toHaveLength(2);
    for (const cookie of cookies) expect(cookie).toMatch(/; HttpOnly.*; Secure$/);
    expect(hsts).toBe('max-age=31536000');
    const page = await app.call('GET /healthz', { key: null, headers: overTls });
    expect(page.headers.get('strict-transport-security')).toBe('max-age=31536000');
    const plain = await signIn(app, email, {});
    expect(plain.cookies.join()).not.toContain('Secure');
    expect(plain.hsts).toBeNull();
  });

  it.each([
    ['no proxy is trusted', {}],
    ['another proxy is trusted', { SVC_TRUSTED_PROXIES: '192.0.2.1' }],
  ])('is not believed where %s', async (_name, environment) => {
    const app = await open(environment);
    const { email } = await makeMember(app, { role: 'viewer' });
    const { cookies, hsts } = await signIn(app, email, overTls);
    expect(cookies.join()).not.toContain('Secure');
    expect(hsts).toBeNull();
  });

  it('is known by the public address, too', async () => {
    const app = await open({ SVC_PUBLIC_URL: 'https://svc.example.com' });
    const page = await app.call('GET /healthz', { key: null });
    expect(page.headers.get('strict-transport-security')).toBe('max-age=31536000');
  });
});

describe('a proxy that nobody has configured', () => {
  const warnings = ({ logged }: TestApp) => logged.filter((line) => line.includes('SVC_TRUSTED_PROXIES'));

  it.each(['x-forwarded-for', 'forwarded'])('is reported once an hour, by %s', async (header) => {
    const ahead = { milliseconds: 0 };
    const app = await open({}, ahead);
    const owner = await makeMember(app, { role: 'owner' });
    const notes = async () => (await owner.call('GET /api/console/system')).body.notes as string[];
    expect(await notes()).toEqual([]);
    for (let count = 0; count < 3; count += 1)
      await app.call('GET /api/console/session', { key: null, headers: { [header]: 'for=203.0.113.7' } });
    expect(warnings(app)).toHaveLength(1);
    expect(JSON.parse(warnings(app)[0] ?? '{}')).toMatchObject({ level: 40 });
    expect(await notes()).toEqual([expect.stringContaining('127.0.0.1')]);
    ahead.milliseconds = 3_600_001;
    expect(await notes()).toEqual([]);
    const ready = await app.call('GET /readyz', { key: null });
    expect(JSON.stringify(ready.body)).not.toContain('SVC_TRUSTED_PROXIES');
  });

  it('is not reported once proxies are configured', async () => {
    const app = await open({ SVC_TRUSTED_PROXIES: '192.0.2.1' });
    await app.call('GET /api/console/session', { key: null, headers: { 'x-forwarded-for': '203.0.113.7' } });
    expect(warnings(app)).toEqual([]);
  });
});
