import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryCounter } from '../../src/limits/memory-counter.ts';
import { createRequestLimits } from '../../src/limits/request-limits.ts';
import { memberStore } from '../../src/members/members.store.ts';
import { openMembers } from '../../src/members/open-members.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { holdingKinds } from '../../src/wiring/open-people.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import { eventually } from '../support/chat.ts';
import { type Member, makeMember, memberPassword } from '../support/members.ts';
import { openSse } from '../support/sse-client.ts';
import { type Answer, startTestApp, type TestApp } from '../support/test-app.ts';
import { countWaitingForLocks } from '../support/waiting-for-locks.ts';

let ahead = 0;
const clock = { now: () => new Date(Date.now() + ahead) };
let service: TestApp;
let owner: Member;
/** What the command calls. */
let people: ReturnType<typeof openMembers>['services'];
let sweep: () => Promise<void>;

beforeAll(async () => {
  service = await startTestApp({ clock, environment: { SVC_TRUSTED_PROXIES: '127.0.0.1' } });
  const { database, url: publicUrl } = service;
  const box = createSecretBox(createKeyRing(service.encryptionKey));
  const counter = createMemoryCounter();
  const limits = createRequestLimits({ counter, perMinute: undefined, keyedHash: box.keyedHash });
  const workspaces = createWorkspaceService({ database });
  const log = pino({ level: 'silent' });
  const opened = openMembers({
    database,
    workspaces,
    box,
    limits,
    noteChange: () => undefined,
    holdingKinds,
    onRevoked: () => undefined,
    sendMail: undefined,
    publicUrl,
    clock,
    log,
  });
  people = opened.services;
  sweep = async () => {
    for (const { work } of opened.rounds ?? []) await work();
  };
  owner = await makeMember(service, { role: 'owner' });
});
afterAll(() => service.stop());

const tokenOf = (url: string) => new URL(url).searchParams.get('token') ?? '';
const isWrong = (path: string) => ({ status: 400, body: { code: 'VALIDATION_FAILED', details: [{ path }] } });

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const own = { origin: service.url, 'x-svc-console': '1', ...headers };
  return service.call(`POST /api/console${path}`, { key: null, body, headers: own });
}

describe('a link for a new password', () => {
  it('works for an hour, and only until the next one is made', async () => {
    const { email } = await makeMember(service, { role: 'viewer' });
    const [first, second] = [
      await people.accounts.makeResetLink(email),
      await people.accounts.makeResetLink(email.toUpperCase()),
    ].map(tokenOf);
    const password = 'another password';
    expect(await post('/reset', { token: first, password })).toMatchObject(isWrong('token'));
    ahead = 60 * 60_000 + 1;
    expect(await post('/reset', { token: second, password })).toMatchObject(isWrong('token'));
    ahead = 59 * 60_000;
    expect((await post('/reset', { token: second, password })).status).toBe(200);
    expect((await post('/sign-in', { email, password })).status).toBe(200);
    ahead = 0;
  });

  it('is good for nothing else, and no other link for a new password', async () => {
    const { email } = await makeMember(service, { role: 'viewer' });
    const reset = tokenOf(await people.accounts.makeResetLink(email));
    const person = { name: 'Eve', email: 'eve@example.com', password: memberPassword };
    for (const path of ['/invitation', '/invitation/accept', '/setup'])
      expect(await post(path, { token: reset, ...(path !== '/invitation' && person) }), path).toMatchObject(
        isWrong('token'),
      );
    const invitation = await owner.call('POST /api/console/invitations', {
      body: { role: 'viewer', email: 'grace@example.com' },
    });
    const body = { token: tokenOf(invitation.body.url), password: memberPassword };
    expect(await post('/reset', body)).toMatchObject(isWrong('token'));
    expect(await people.accounts.makeSetUpLink()).toBeUndefined();
  });
});

describe('an invitation', () => {
  it('is not made by somebody who is losing the role of owner meanwhile', async () => {
    const { database } = service;
    const { id, workspaceId, call } = await makeMember(service, { role: 'owner' });
    const making = Promise.withResolvers<Answer>();
    await database.acrossWorkspaces.transaction(async (tx) => {
      await memberStore.lock(tx, workspaceId);
      await memberStore.setRole(tx, workspaceId, id, 'operator');
      call('POST /api/console/invitations', { body: { role: 'owner', email: 'grace@example.com' } }).then(
        making.resolve,
        making.reject,
      );
      await eventually(() => countWaitingForLocks(database)).toBe(1);
    });
    expect(await making.promise).toMatchObject({ status: 403, body: { details: [{ role: 'owner' }] } });
  });

  it('is revoked by owners of its workspace only', async () => {
    const { id: workspaceId } = await service.makeWorkspace();
    const stranger = await makeMember(service, { role: 'owner', workspaceId });
    const { id, url } = (
      await owner.call('POST /api/console/invitations', {
        body: { role: 'viewer', email: 'grace@example.com' },
      })
    ).body;
    expect((await stranger.call(`DELETE /api/console/invitations/${id}`)).status).toBe(404);
    expect((await post('/invitation', { token: tokenOf(url) })).status).toBe(200);
  });

  it('is deleted when it has expired, like sessions, and not before', async () => {
    const { raw } = service.database.acrossWorkspaces;
    const left = async (table: string, column: string, id: string) =>
      (await raw(`select from ${table} where ${column} = $1`, [id])).rows.length;
    const invite = async () =>
      (
        await owner.call('POST /api/console/invitations', {
          body: { role: 'viewer', email: 'grace@example.com' },
        })
      ).body.id as string;
    const [old, current] = [await invite(), await invite()];
    const { id: userId } = await makeMember(service, { role: 'viewer' });
    const past = `set expires_at = now() - interval '1 second'`;
    await raw(`update member_links ${past} where id = $1`, [old]);
    await raw(`update user_sessions ${past} where user_id = $1`, [userId]);
    await sweep();
    expect(await left('member_links', 'id', old)).toBe(0);
    expect(await left('member_links', 'id', current)).toBe(1);
    expect(await left('user_sessions', 'user_id', userId)).toBe(0);
    expect(await left('user_sessions', 'user_id', owner.id)).toBe(1);
  });
});

describe('guesses are limited', () => {
  it('of links, for each network and purpose, but never those who have one', async () => {
    const { email } = await makeMember(service, { role: 'viewer' });
    const reset = tokenOf(await people.accounts.makeResetLink(email));
    const from = { 'x-forwarded-for': '203.0.113.7' };
    const password = memberPassword;
    const person = { name: 'Eve', email: 'eve@example.com', password };
    const guess = async (path: string, fields: object, times: number) => {
      const statuses: number[] = [];
      for (let count = 0; count < times; count += 1)
        statuses.push((await post(`/${path}`, { token: `guess-${count}`, ...fields }, from)).status);
      return statuses;
    };
    expect(await guess('invitation', {}, 50)).toEqual(Array(50).fill(400));
    expect(await guess('invitation/accept', person, 51)).toEqual([...Array(50).fill(400), 429]);
    expect(await guess('reset', { password }, 101)).toEqual([...Array(100).fill(400), 429]);
    expect(await guess('setup', person, 101)).toEqual([...Array(100).fill(400), 429]);
    expect((await post('/reset', { token: reset, password }, from)).status).toBe(200);
    expect((await post('/sign-in', { email, password }, from)).status).toBe(200);
  });

  it('of the current password, as of any other', async () => {
    const { call } = await makeMember(service, { role: 'viewer' });
    const body = { password: 'another password', current_password: 'wrong password' };
    const headers = { 'x-forwarded-for': '203.0.113.8' };
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1)
      statuses.push((await call('PATCH /api/console/profile', { body, headers })).status);
    expect(statuses).toEqual([...Array(10).fill(400), 429]);
  });
});

describe('an open stream', () => {
  async function open({ cookie, workspaceId }: Member) {
    const bot = { name: 'Bot', system_prompt: 'x' };
    const { id } = (await service.call('POST /api/v1/bots', { body: bot })).body;
    const body = { bot_id: id, message: 'Hello', external_user_id: 'somebody' };
    const { body: events } = await service.call('POST /api/v1/chat/send-stream', { body });
    const conversation = /"conversation_id":"([^"]+)"/.exec(events)?.[1];
    return openSse(`${service.url}/api/v1/chat/stream?conversation_id=${conversation}`, {
      headers: { cookie, 'x-svc-workspace': workspaceId },
    });
  }

  it('ends with the time of its session, when it is looked at', async () => {
    const member = await makeMember(service, { role: 'viewer' });
    const stream = await open(member);
    ahead = 31 * 86_400_000;
    await memberStore.notifyAcrossWorkspaces(service.database.acrossWorkspaces, member.id);
    await stream.ended();
    ahead = 0;
  });

  it('is looked at whenever the person may have lost access', async () => {
    const heard: string[] = [];
    const listener = await service.database.connect('listening test');
    listener.on('notification', ({ payload = '' }) => void heard.push(payload));
    await listener.query('listen svc_members');
    const { id, email, call } = await makeMember(service, { role: 'operator' });
    const change = async (work: () => Promise<unknown>) => {
      await eventually(() => heard.includes(id)).toBe(true);
      heard.length = 0;
      await work();
      await eventually(() => heard.includes(id)).toBe(true);
    };
    await change(() => owner.call(`PATCH /api/console/members/${id}`, { body: { role: 'viewer' } }));
    const body = { password: 'another password', current_password: memberPassword };
    await change(() => call('PATCH /api/console/profile', { body }));
    await change(() => owner.call(`DELETE /api/console/members/${id}`));
    await change(() => people.team.deleteByEmail(email));
    await listener.end();
  });
});
