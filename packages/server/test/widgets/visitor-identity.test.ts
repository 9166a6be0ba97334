import { createHmac } from 'node:crypto';
import type { WidgetKey } from '@svc/contract/widgets';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createWidget, createWidgetKey, openPage, type Page } from './use-widget.ts';

let now = new Date();
let service: TestApp;
let key: WidgetKey;
let page: Page;
beforeAll(async () => {
  service = await startTestApp({ clock: { now: () => now } });
});
afterAll(() => service.stop());
beforeEach(async () => {
  now = new Date();
  key = await createWidget(service);
  page = openPage(service, key.api_key);
});

async function createSecret({ id }: Pick<WidgetKey, 'id'> = key): Promise<string> {
  const answer = await service.call(`POST /api/v1/widgets/keys/${id}/identity-secret`);
  expect(answer.status).toBe(201);
  return answer.body.identity_secret;
}

function sign(secret: string, userId: string) {
  return { user_id: userId, user_hash: createHmac('sha256', secret).update(userId).digest('hex') };
}

/** The same with an expiry, in seconds since 1970. */
function signUntil(secret: string, userId: string, seconds: number) {
  const { user_hash } = sign(secret, userId);
  return { user_id: userId, user_hash: `${seconds}.${sign(secret, `${user_hash}.${seconds}`).user_hash}` };
}

const requestToken = (body: object, from = page) => from.call('POST /api/widget/token', { body });
const pass = (milliseconds: number) => {
  now = new Date(now.getTime() + milliseconds);
};
const hour = 60 * 60 * 1_000;
const day = 24 * hour;

it('recognizes a visitor that comes back, for 90 days', async () => {
  const first = await page.issueToken();
  const id = await page.say(first.token);
  pass(hour + 1_000);
  expect(await page.call('GET /api/widget/conversations', { token: first.token })).toMatchObject({
    status: 401,
  });
  const second = await page.issueToken({ renewal_token: first.renewal_token });
  expect(second.visitor_id).toBe(first.visitor_id);
  const listed = await page.call('GET /api/widget/conversations', { token: second.token });
  expect(listed.body).toMatchObject([{ id }]);
  pass(89 * day);
  const third = await page.issueToken({ renewal_token: second.renewal_token });
  expect(third.visitor_id).toBe(first.visitor_id);
  pass(2 * day);
  expect(await requestToken({ renewal_token: second.renewal_token })).toMatchObject({ status: 401 });
  expect(await requestToken({ renewal_token: third.renewal_token })).toMatchObject({ status: 201 });
});

it('renews for every key of the same bot, and for no other bot', async () => {
  const { renewal_token, visitor_id, token } = await page.issueToken();
  const sameBot = openPage(service, (await createWidgetKey(service, key.bot_id)).api_key);
  expect(await requestToken({ renewal_token }, sameBot)).toMatchObject({ status: 201, body: { visitor_id } });
  const otherBot = openPage(service, (await createWidget(service)).api_key);
  expect(await requestToken({ renewal_token }, otherBot)).toMatchObject({ status: 401 });
  for (const wrong of [token, `${renewal_token}x`, 'svc_rt_', renewal_token.replace('svc_rt_', 'svc_ut_')]) {
    expect(await requestToken({ renewal_token: wrong })).toMatchObject({ status: 401 });
  }
  // It opens nothing itself.
  expect(await page.call('GET /api/widget/conversations', { token: renewal_token })).toMatchObject({
    status: 401,
  });
});

it('recognizes users whose id the site has signed', async () => {
  const secret = await createSecret();
  const visitor = await page.issueToken(sign(secret, 'customer-17'));
  expect(visitor.visitor_id).toBe('customer-17');
  const id = await page.say(visitor.token);
  // On another device, as somebody with a token of another visitor.
  const { renewal_token } = await page.issueToken();
  const again = await page.issueToken({ ...sign(secret, 'customer-17'), renewal_token });
  const listed = await page.call('GET /api/widget/conversations', { token: again.token });
  expect(listed.body).toMatchObject([{ id }]);
  expect((await page.issueToken({ renewal_token: again.renewal_token })).visitor_id).toBe('customer-17');
});

it('refuses ids that are not signed', async () => {
  const body = sign('svc_is_guessed', 'customer-17');
  expect(await requestToken(body)).toMatchObject({
    status: 400,
    body: { details: [{ path: 'user_id', message: expect.stringContaining('identity-secret') }] },
  });
  const secret = await createSecret();
  const other = await createSecret(await createWidgetKey(service, key.bot_id));
  const wrong = [
    { user_id: 'customer-17' },
    body,
    sign(other, 'customer-17'),
    { ...sign(secret, 'customer-17'), user_id: 'customer-18' },
  ];
  for (const claimed of wrong) {
    expect(await requestToken(claimed)).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN', details: [{ path: 'user_hash' }] },
    });
  }
  expect(await requestToken({ user_hash: body.user_hash })).toMatchObject({ status: 400 });
});

it('forgets users that were signed with a secret that was replaced', async () => {
  const { renewal_token } = await page.issueToken(sign(await createSecret(), 'customer-17'));
  const anonymous = await page.issueToken();
  const secret = await createSecret();
  expect(await requestToken({ renewal_token })).toMatchObject({ status: 401 });
  const next = await page.issueToken(sign(secret, 'customer-17'));
  await service.call(`DELETE /api/v1/widgets/keys/${key.id}/identity-secret`);
  expect(await requestToken({ renewal_token: next.renewal_token })).toMatchObject({ status: 401 });
  expect(await requestToken({ renewal_token: anonymous.renewal_token })).toMatchObject({ status: 201 });
});

it.each([
  ['replaced', () => createSecret()],
  ['removed', () => service.call(`DELETE /api/v1/widgets/keys/${key.id}/identity-secret`)],
])('ends tokens and streams of users whose id was signed with a secret that was %s', async (_how, change) => {
  const signed = await page.issueToken(sign(await createSecret(), 'customer-17'));
  const anonymous = await page.issueToken();
  const id = await page.say(signed.token);
  const read = async ({ token }: { token: string }) =>
    (await page.call('GET /api/widget/conversations', { token })).status;
  const stream = await page.open(`/api/widget/stream?conversation_id=${id}`, { token: signed.token });
  expect([stream.status, await read(signed)]).toEqual([200, 200]);
  await change();
  await stream.ended();
  expect([await read(signed), await read(anonymous)]).toEqual([401, 200]);
});

it('accepts what the site has signed with an expiry, until then', async () => {
  const secret = await createSecret();
  const seconds = Math.ceil(now.getTime() / 1_000) + 300;
  const signed = signUntil(secret, 'customer-17', seconds);
  expect((await page.issueToken(signed)).visitor_id).toBe('customer-17');
  const [, hmac] = signed.user_hash.split('.');
  const forged = [`${seconds + 1}.${hmac}`, `${seconds}.${sign(secret, 'customer-17').user_hash}`, `${hmac}`];
  for (const user_hash of forged) {
    expect(await requestToken({ user_id: 'customer-17', user_hash })).toMatchObject({ status: 403 });
  }
  expect(await requestToken({ ...signed, user_id: 'customer-18' })).toMatchObject({ status: 403 });
  expect(await requestToken({ ...signed, user_hash: `${seconds}.` })).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_FAILED', details: [{ path: 'user_hash' }] },
  });
  pass(301 * 1_000);
  const expired_at = new Date(seconds * 1_000).toISOString();
  expect(await requestToken(signed)).toMatchObject({
    status: 403,
    body: {
      code: 'FORBIDDEN',
      message: `user_hash expired at ${expired_at}: the site has to sign the id again.`,
      details: [{ path: 'user_hash', expired_at }],
    },
  });
});

it('renews users of the site for a day after it has vouched for them, and not longer', async () => {
  const secret = await createSecret();
  const first = await page.issueToken(sign(secret, 'customer-17'));
  pass(20 * hour);
  const second = await page.issueToken({ renewal_token: first.renewal_token });
  expect(second.visitor_id).toBe('customer-17');
  pass(3.5 * hour);
  const third = await page.issueToken({ renewal_token: second.renewal_token });
  // Nor does its last token outlive the day.
  expect(Date.parse(third.expires_at) - now.getTime()).toBeLessThanOrEqual(hour / 2);
  pass(hour / 2);
  for (const { renewal_token } of [first, second, third]) {
    expect(await requestToken({ renewal_token })).toMatchObject({ status: 401 });
  }
  expect((await page.call('GET /api/widget/conversations', { token: third.token })).status).toBe(401);
  const again = await page.issueToken(sign(secret, 'customer-17'));
  pass(20 * hour);
  expect((await page.issueToken({ renewal_token: again.renewal_token })).visitor_id).toBe('customer-17');
});

it('does not renew users whose renewal lasts for months, as earlier releases issued it', async () => {
  const secret = await createSecret();
  pass(80 * day);
  const { renewal_token } = await page.issueToken(sign(secret, 'customer-17'));
  pass(-80 * day);
  expect(await requestToken({ renewal_token })).toMatchObject({ status: 401 });
  pass(80 * day);
  expect(await requestToken({ renewal_token })).toMatchObject({ status: 201 });
});
