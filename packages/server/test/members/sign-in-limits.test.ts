import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { type Member, makeMember, memberPassword } from '../support/members.ts';
import { type Answer, createCall, startTestApp, type TestApp } from '../support/test-app.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

const environment = { SVC_TRUSTED_PROXIES: '127.0.0.1' };
let ahead = 0;
let service: TestApp;
/** A second node on the same database. */
let node: TestNode;
/** Somebody whose password is being guessed from many networks: no stranger may try any more. */
let besieged: Awaited<ReturnType<typeof makeKnown>>;
beforeAll(async () => {
  service = await startTestApp({ environment, clock: { now: () => new Date(Date.now() + ahead) } });
  node = await startNode({
    database: service.database,
    keyRing: createKeyRing(service.encryptionKey),
    environment,
  });
  besieged = await makeKnown();
  const guess = () => repeat(49, () => signIn(besieged.email, wrong, { from: newNetwork() }));
  expect(new Set((await Promise.all([guess(), guess()])).flat())).toEqual(new Set([401]));
});
afterAll(async () => {
  await node.stop();
  await service.stop();
});

const wrong = 'wrong password';
let networks = 0;
/** The address of somebody, in a network of their own. */
const newNetwork = () => `2001:db8:${((networks += 1)).toString(16)}::1`;

interface Attempt {
  from: string;
  cookie?: string;
  url?: string;
}

function signIn(email: string, password: string, { from, cookie, url = service.url }: Attempt) {
  const headers = { origin: url, 'x-svc-console': '1', 'x-forwarded-for': from, ...(cookie && { cookie }) };
  return createCall(url, '')('POST /api/console/sign-in', { key: null, body: { email, password }, headers });
}

async function statusesOf(attempts: readonly (() => Promise<Answer>)[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const attempt of attempts) statuses.push((await attempt()).status);
  return statuses;
}

const repeat = (times: number, attempt: (index: number) => Promise<Answer>) =>
  statusesOf(Array.from({ length: times }, (_, index) => () => attempt(index)));

/** The cookie by which a browser is known, as it sends it. */
const browserCookie = (answer: Answer) =>
  answer.headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith('svc_browser_'))
    ?.split(';')[0] ?? '';

/** A member with a browser in which they have signed in before. */
async function makeKnown(): Promise<Member & { browser: string; home: string }> {
  const home = newNetwork();
  const member = await makeMember(service, { role: 'viewer' });
  const answer = await signIn(member.email, memberPassword, { from: home });
  expect(answer.status).toBe(200);
  return { ...member, home, browser: browserCookie(answer) };
}

describe('strangers', () => {
  it('cannot keep the people of their network from signing in, known browser or not', async () => {
    const from = newNetwork();
    const { email } = await makeMember(service, { role: 'viewer' });
    const guesses = await repeat(101, (index) =>
      signIn(`nobody-${index}@example.com`, wrong, { from, url: index % 2 === 0 ? service.url : node.url }),
    );
    expect(new Set(guesses)).toEqual(new Set([401]));
    expect((await signIn(email, memberPassword, { from })).status).toBe(200);
  });

  it('cannot keep a person from signing in with a known browser, from one network or from many', async () => {
    const { email, browser, home } = besieged;
    // Guessing is slowed down from everywhere, whoever guesses.
    expect((await signIn(email, memberPassword, { from: newNetwork() })).status).toBe(429);
    const back = await signIn(email, memberPassword, { from: home, cookie: browser });
    expect(back.status).toBe(200);
    const abroad = await signIn(email, memberPassword, {
      from: newNetwork(),
      cookie: `other=1; ${browserCookie(back)}`,
      url: node.url,
    });
    expect(abroad.status).toBe(200);
  });

  it('learn nothing about accounts: unknown ones are limited and answered alike', async () => {
    const { email } = await makeMember(service, { role: 'viewer' });
    for (const address of [email, `${randomUUID()}@example.com`]) {
      const from = newNetwork();
      expect(await repeat(11, () => signIn(address, wrong, { from }))).toEqual([...Array(10).fill(401), 429]);
    }
  });

  it('wait for their own network only while they send many attempts at once', async () => {
    const from = newNetwork();
    const { email, browser, home } = await makeKnown();
    const flood = Array.from({ length: 60 }, (_, index) =>
      signIn(`flood-${index}@example.com`, wrong, { from }),
    );
    const [known, unknown] = await Promise.all([
      signIn(email, memberPassword, { from, cookie: browser }),
      signIn(email, memberPassword, { from: home }),
    ]);
    expect([known.status, unknown.status]).toEqual([200, 200]);
    const answers = await Promise.all(flood);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeLessThan(60);
  });
});

describe('a known browser', () => {
  it('is known by a cookie that no script reads, and that is sent nowhere else', async () => {
    const { email } = await makeMember(service, { role: 'viewer' });
    const answer = await signIn(email, memberPassword, { from: newNetwork() });
    const cookie = answer.headers.getSetCookie().find((one) => one.startsWith('svc_browser_'));
    expect(cookie).toMatch(
      /^svc_browser_[0-9a-f]{16}=[^;]+; Max-Age=15552000; Path=\/api\/console\/sign-in; HttpOnly; SameSite=Strict$/,
    );
    expect(cookie).not.toContain(email);
  });

  it('has few attempts of its own, too', async () => {
    const { email, browser, home } = await makeKnown();
    const attempt = { from: home, cookie: browser };
    expect(await repeat(11, () => signIn(email, wrong, attempt))).toEqual([...Array(10).fill(401), 429]);
    expect((await signIn(email, memberPassword, attempt)).status).toBe(429);
  });

  it('cannot be forged, used for another account, or used after its time', async () => {
    const { email, browser } = besieged;
    const other = await makeKnown();
    const [name = '', value = ''] = browser.split('=');
    const [id = '', expires = '', signature = ''] = value.split('.');
    const [otherName = '', otherValue = ''] = other.browser.split('=');
    const forged = [
      `${name}=${id}.${expires}.${'A'.repeat(signature.length)}`,
      `${name}=x${id}.${expires}.${signature}`,
      `${name}=${id}.9${expires}.${signature}`,
      `${name}=${id}.${expires}`,
      `${name}=${otherValue}`,
      `${otherName}=${otherValue}`,
      `${otherName}=${value}`,
      `${name}=`,
    ];
    for (const cookie of forged)
      expect((await signIn(email, memberPassword, { from: newNetwork(), cookie })).status, cookie).toBe(429);
    ahead = 181 * 86_400_000;
    const late = await signIn(email, memberPassword, { from: newNetwork(), cookie: browser });
    ahead = 0;
    expect(late.status).toBe(429);
    expect((await signIn(email, memberPassword, { from: newNetwork(), cookie: browser })).status).toBe(200);
  });
});

it('attempts to sign in do not keep anybody from changing their password', async () => {
  const body = { password: memberPassword, current_password: memberPassword };
  expect((await besieged.call('PATCH /api/console/profile', { body })).status).toBe(200);
});
