import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import { makePerson } from '../support/end-users.ts';
import { type Member, makeMember } from '../support/members.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createWidget, openPage, shop } from '../widgets/use-widget.ts';

/** A caller is authenticated before the body is read, which may take minutes: what is true of them then counts. */
let service: TestApp;
let owner: Member;
beforeAll(async () => {
  service = await startTestApp();
  owner = await makeMember(service, { role: 'owner' });
});
afterAll(() => service.stop());

interface Slow {
  path: string;
  headers: Record<string, string>;
  body?: object | string;
  type?: string;
}

/** Sends the head, does something when the service has begun to read the body, and sends the body after that. */
async function sendSlowly(
  { path, headers, body = {}, type = 'application/json' }: Slow,
  meanwhile: () => Promise<unknown>,
) {
  const content = typeof body === 'string' ? body : JSON.stringify(body);
  const sending = request(`${service.url}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': type, 'content-length': content.length, expect: '100-continue' },
  });
  const answered = once(sending, 'response');
  sending.flushHeaders();
  await once(sending, 'continue');
  sending.write(content.slice(0, 5));
  // Longer than a request may take without another look at its caller.
  await delay(1_100);
  await meanwhile();
  sending.end(content.slice(5));
  const [answer] = await answered;
  const { statusCode, headers: received } = answer as { statusCode: number; headers: IncomingHttpHeaders };
  return { status: statusCode, headers: received, text: await readText(answer) };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const ofConsole = ({ cookie, workspaceId }: Member) => ({
  cookie,
  origin: service.url,
  'x-svc-workspace': workspaceId,
});
const done = async (answering: Promise<{ status: number }>) =>
  expect((await answering).status).toBeLessThan(300);
const createsBot = (name: string) => ({ path: '/api/v1/bots', body: { name, system_prompt: 'x' } });
const botNames = async () =>
  (await service.call('GET /api/v1/bots')).body.map(({ name }: { name: string }) => name);

async function makeOwnKey(): Promise<{ id: string; key: string }> {
  const { status, body } = await service.call('POST /api/v1/keys', {
    body: { name: 'Own', abilities: ['bots:write', 'knowledge:write'] },
  });
  expect(status).toBe(201);
  return body;
}

it('of a key that was revoked meanwhile creates nothing', async () => {
  const { id, key } = await makeOwnKey();
  const slow = { ...createsBot('By a revoked key'), headers: bearer(key) };
  const answer = await sendSlowly(slow, () => done(service.call(`DELETE /api/v1/keys/${id}`)));
  expect(answer).toMatchObject({ status: 401, text: expect.stringContaining('UNAUTHORIZED') });
  expect(await botNames()).not.toContain('By a revoked key');
});

it('with files, of a key that was revoked meanwhile, stores nothing', async () => {
  const { id, key } = await makeOwnKey();
  const body = `--edge\r\nContent-Disposition: form-data; name="files"; filename="late.txt"\r\n\r\nlate\r\n--edge--\r\n`;
  const type = 'multipart/form-data; boundary=edge';
  const slow = { path: '/api/v1/knowledge', body, type, headers: bearer(key) };
  const answer = await sendSlowly(slow, () => done(service.call(`DELETE /api/v1/keys/${id}`)));
  expect(answer).toMatchObject({ status: 401 });
  expect((await service.call('GET /api/v1/knowledge')).body).toEqual([]);
});

it('of an end user whose tokens were revoked meanwhile begins no conversation', async () => {
  const person = await makePerson(service);
  const { bot_id } = await createWidget(service);
  const revoke = () => done(service.call(`POST /api/v1/end-users/${person.userId}/revoke`));
  const slow = { path: '/api/v1/chat/send-stream', body: { bot_id, message: 'late' } };
  expect(await sendSlowly({ ...slow, headers: bearer(person.token) }, revoke)).toMatchObject({ status: 401 });
  expect((await service.call(`GET /api/v1/conversations?bot_id=${bot_id}`)).body).toEqual([]);
});

it('of a visitor whose widget key was revoked meanwhile begins no conversation', async () => {
  const { id, bot_id, api_key: key } = await createWidget(service);
  const { token } = await openPage(service, key).issueToken();
  const revoke = () => done(service.call(`DELETE /api/v1/widgets/keys/${id}`));
  const slow = { path: `/api/widget/messages?key=${key}`, body: { message: 'late' } };
  const headers = { ...bearer(token), origin: shop };
  expect(await sendSlowly({ ...slow, headers }, revoke)).toMatchObject({ status: 401 });
  expect((await service.call(`GET /api/v1/conversations?bot_id=${bot_id}`)).body).toEqual([]);
});

it.each([
  ['signed out', 401, (member: Member) => member.call('POST /api/console/sign-out')],
  ['removed', 403, ({ id }: Member) => owner.call(`DELETE /api/console/members/${id}`)],
  [
    'demoted',
    403,
    ({ id }: Member) => owner.call(`PATCH /api/console/members/${id}`, { body: { role: 'viewer' } }),
  ],
])('of a member who was %s meanwhile creates nothing', async (what, status, change) => {
  const member = await makeMember(service, { role: 'operator' });
  const slow = { ...createsBot(`By one who was ${what}`), headers: ofConsole(member) };
  expect(await sendSlowly(slow, () => done(change(member)))).toMatchObject({ status });
  expect(await botNames()).not.toContain(`By one who was ${what}`);
});

it('of a caller who still may is done, and counted once', async () => {
  const { id, key } = await service.makeWorkspace();
  await createWorkspaceService(service).changePlan(id, {}, { requests_per_minute: 10 });
  const answer = await sendSlowly({ ...createsBot('Slow'), headers: bearer(key) }, async () => undefined);
  expect(answer).toMatchObject({ status: 201, headers: { 'ratelimit-remaining': '9' } });
  const next = await service.call('GET /api/v1/bots', { key });
  expect(next.headers.get('ratelimit-remaining')).toBe('8');
});
