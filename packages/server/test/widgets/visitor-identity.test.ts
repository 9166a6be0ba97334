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
