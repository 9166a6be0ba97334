import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { callAs, type Member, makeMember, memberPassword, signIn } from '../support/members.ts';
import { openSse } from '../support/sse-client.ts';
import {
  type Answer,
  type CallOptions,
  createCall,
  startTestApp,
  type TestApp,
} from '../support/test-app.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

let ahead = 0;
let service: TestApp;
/** A second node on the same database. */
let node: TestNode;
let made: Awaited<ReturnType<typeof setUp>>;
let owner: Member;

beforeAll(async () => {
  service = await startTestApp({ clock: { now: () => new Date(Date.now() + ahead) } });
  const { database, encryptionKey } = service;
  node = await startNode({ database, keyRing: createKeyRing(encryptionKey) });
  made = await setUp();
  owner = made.owner;
});
afterAll(async () => {
  await node.stop();
  await service.stop();
});

/** As a page of the service does that nobody is signed in to. */
function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return service.call(`POST /api/console${path}`, asOwnPage(service.url, body, headers));
}

function asOwnPage(url: string, body: unknown, headers: Record<string, string> = {}): CallOptions {
  return { key: null, body, headers: { origin: url, 'x-svc-console': '1', ...headers } };
}

const session = (cookie: string, url = service.url) =>
  callAs(url, cookie, owner.workspaceId)('GET /api/console/session');
const cookieOf = ({ headers }: Answer) => headers.getSetCookie()[0]?.split(';')[0] ?? '';
const tokenOf = (url: string) => new URL(url).searchParams.get('token') ?? '';
const isWrong = (path: string) => ({ status: 400, body: { code: 'VALIDATION_FAILED', details: [{ path }] } });
const account = { name: 'Grace Hopper', password: memberPassword };

async function invite(body: object): Promise<string> {
  const answer = await owner.call('POST /api/console/invitations', { body });
  expect(answer.status).toBe(201);
  return tokenOf(answer.body.url);
}

/** The first account, which the other tests need. */
async function setUp() {
  const token = tokenOf(service.app.setUpLink ?? '');
  const body = { token, ...account, email: 'Ada@Example.com', workspace_name: 'Acme' };
  const faults = {
    token: await post('/setup', { ...body, token: 'wrong' }),
    email: await post('/setup', { ...body, email: 'ada' }),
    name: await post('/setup', { ...body, name: 'x'.repeat(81) }),
    password: await post('/setup', { ...body, password: 'too short' }),
  };
  const both = await Promise.all([post('/setup', body), post('/setup', body)]);
  const done = both.find(({ status }) => status === 200);
  if (!done) throw new Error(`The set-up failed: ${JSON.stringify(both[0].body)}`);
  const cookie = cookieOf(done);
  const { body: mine } = await callAs(service.url, cookie, '')('GET /api/console/session');
  const workspaceId: string = mine.workspaces[0].id;
  const call = callAs(service.url, cookie, workspaceId);
  return { faults, both, done, mine, owner: { ...mine.user, workspaceId, cookie, call } as Member };
}

it('the set-up makes the first account, once, and says which field is wrong', () => {
  const { faults, both, done, mine } = made;
  for (const [path, answer] of Object.entries(faults)) expect(answer, path).toMatchObject(isWrong(path));
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  expect(done.headers.getSetCookie()[0]).toMatch(/^svc_session=.*HttpOnly.*SameSite=Lax/);
  expect(mine).toMatchObject({
    user: { name: 'Grace Hopper', email: 'ada@example.com' },
    workspaces: [{ name: 'Acme', role: 'owner' }],
    can_create_workspaces: true,
    needs_setup: false,
  });
});

describe('a session', () => {
  it('answers a wrong password and an unknown email in the same way', async () => {
    const wrong = await post('/sign-in', { email: owner.email, password: 'wrong password' });
    const unknown = await post('/sign-in', { email: 'nobody@example.com', password: 'wrong password' });
    expect(wrong).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    expect({ ...wrong.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' });
  });

  it('works on every node, until the person signs out on one of them', async () => {
    const cookie = await signIn(node.url, owner.email.toUpperCase());
    expect((await session(cookie)).body.user).toMatchObject({ id: owner.id });
    const call = callAs(service.url, cookie, owner.workspaceId);
    expect((await call('GET /api/v1/bots')).status).toBe(200);
    const out = await callAs(node.url, cookie, owner.workspaceId)('POST /api/console/sign-out');
    expect(out.status).toBe(200);
    expect((await session(cookie)).body.user).toBeNull();
    expect((await call('GET /api/v1/bots')).status).toBe(401);
  });

  it('is not opened to somebody who guesses passwords', async () => {
    const { email } = await makeMember(service, { role: 'viewer' });
    const guesses = [];
    for (let count = 0; count < 9; count += 1) {
      const { url } = count % 2 === 0 ? service : node;
      const body = { email, password: 'wrong password' };
      guesses.push((await createCall(url, '')('POST /api/console/sign-in', asOwnPage(url, body))).status);
    }
    expect(new Set(guesses)).toEqual(new Set([401]));
    const right = await post('/sign-in', { email, password: memberPassword });
    expect(right).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('ends with the password, everywhere except where it was changed', async () => {
    const { email, cookie, call } = await makeMember(service, { role: 'viewer' });
    const other = await signIn(service.url, email);
    const change = (body: object) => call('PATCH /api/console/profile', { body });
    expect(await change({ password: 'another password' })).toMatchObject(isWrong('current_password'));
    expect(await change({ password: 'another password', current_password: 'x' })).toMatchObject(
      isWrong('current_password'),
    );
    const body = { name: 'Ada', password: 'another password', current_password: memberPassword };
    expect((await change(body)).status).toBe(200);
    expect((await session(cookie)).body.user).toMatchObject({ name: 'Ada' });
    expect((await session(other)).body.user).toBeNull();
    expect((await post('/sign-in', { email, password: memberPassword })).status).toBe(401);
  });
});

describe('an invitation', () => {
  it('takes any characters in a password', async () => {
    const email = 'signs@example.com';
    const body = { token: await invite({ role: 'viewer', email }), name: 'Grace', email };
    const password = '🔑'.repeat(128);
    expect((await post('/invitation/accept', { ...body, password })).status).toBe(200);
    await signIn(service.url, body.email, password);
  });

  it('stops working with the role of the owner who made it', async () => {
    const [removed, demoted] = [
      await makeMember(service, { role: 'owner' }),
      await makeMember(service, { role: 'owner' }),
    ];
    const links = [];
    for (const { call } of [removed, demoted]) {
      const body = { role: 'owner', email: removed.email };
      const answer = await call('POST /api/console/invitations', { body });
      links.push({ id: answer.body.id, token: tokenOf(answer.body.url) });
    }
    await owner.call(`DELETE /api/console/members/${removed.id}`);
    await owner.call(`PATCH /api/console/members/${demoted.id}`, { body: { role: 'operator' } });
    for (const { token } of links)
      expect(await post('/invitation/accept', { token }, { cookie: removed.cookie })).toMatchObject(
        isWrong('token'),
      );
    const { body: entries } = await owner.call('GET /api/v1/audit?action=invitation.revoked&limit=2');
    const revoked = entries.map(({ object }: { object: { id: string } }) => object.id);
    expect(new Set(revoked)).toEqual(new Set(links.map(({ id }) => id)));
  });

  it('makes a new person a member, once', async () => {
    const token = await invite({ role: 'operator', email: 'grace@example.com' });
    expect((await post('/invitation', { token })).body).toEqual({
      workspace_name: 'Acme',
      role: 'operator',
      email: 'grace@example.com',
    });
    const body = { token, ...account, email: 'grace@example.com' };
    expect(await post('/invitation/accept', { ...body, password: 'short' })).toMatchObject(
      isWrong('password'),
    );
    expect(await post('/invitation/accept', { token })).toMatchObject(isWrong('name'));
    const another = await invite({ role: 'operator', email: owner.email });
    const taken = await post('/invitation/accept', { ...body, token: another, email: owner.email });
    expect(taken).toMatchObject(isWrong('email'));
    const accepted = await post('/invitation/accept', body);
    expect(accepted).toMatchObject({ status: 200, body: { workspace_id: owner.workspaceId } });
    expect((await session(cookieOf(accepted))).body.workspaces).toMatchObject([{ role: 'operator' }]);
    expect(await post('/invitation', { token })).toMatchObject(isWrong('token'));
    expect(await post('/invitation/accept', { ...body, email: 'x@example.com' })).toMatchObject(
      isWrong('token'),
    );
  });

  it('can be for one person only', async () => {
    const token = await invite({ role: 'viewer', email: 'Only@Example.com' });
    const body = { token, ...account };
    const other = await post('/invitation/accept', { ...body, email: 'other@example.com' });
    expect(other).toMatchObject(isWrong('email'));
    const { cookie } = await makeMember(service, { role: 'viewer' });
    expect((await post('/invitation/accept', { token }, { cookie })).status).toBe(403);
    expect((await post('/invitation/accept', { ...body, email: 'only@example.com' })).status).toBe(200);
  });

  it('adds a workspace to a person who is signed in', async () => {
    const { id: workspaceId } = await service.makeWorkspace('Elsewhere');
    const guest = await makeMember(service, { role: 'owner', workspaceId });
    const token = await invite({ role: 'viewer', email: guest.email });
    expect((await post('/invitation/accept', { token }, { cookie: guest.cookie })).status).toBe(200);
    const { workspaces, can_create_workspaces: canCreate } = (await session(guest.cookie)).body;
    expect(workspaces).toMatchObject([
      { name: 'Elsewhere', role: 'owner' },
      { name: 'Acme', role: 'viewer' },
    ]);
    // A new workspace has no limits, so only those who run the installation make them.
    expect(canCreate).toBe(false);
    const name = { body: { name: 'Third' } };
    expect((await guest.call('POST /api/console/workspaces', name)).status).toBe(403);
    const third = await owner.call('POST /api/console/workspaces', name);
    expect(third).toMatchObject({ status: 201, body: { name: 'Third' } });
    const inThird = callAs(service.url, owner.cookie, third.body.id);
    expect((await inThird('GET /api/console/members')).body).toMatchObject([{ id: owner.id, role: 'owner' }]);
  });

  it('can be revoked, and expires', async () => {
    const token = await invite({ role: 'viewer', email: 'grace@example.com' });
    const listed = await owner.call('GET /api/console/invitations');
    expect(JSON.stringify(listed.body)).not.toContain(token);
    const { id } = listed.body.at(-1);
    expect((await owner.call(`DELETE /api/console/invitations/${id}`)).status).toBe(200);
    expect(await post('/invitation', { token })).toMatchObject(isWrong('token'));
    const late = await invite({ role: 'viewer', email: 'grace@example.com' });
    ahead = 7 * 86_400_000 + 1;
    expect(await post('/invitation', { token: late })).toMatchObject(isWrong('token'));
    ahead = 0;
  });
});

describe('a role', () => {
  it('changes immediately, and its streams end with it', async () => {
    const member = await makeMember(service, { role: 'operator' });
    const bot = await member.call('POST /api/v1/bots', { body: { name: 'Bot', system_prompt: 'x' } });
    expect(bot.status).toBe(201);
    const message = { bot_id: bot.body.id, message: 'Hello', external_user_id: 'somebody' };
    const { body: events } = await service.call('POST /api/v1/chat/send-stream', { body: message });
    const id = /"conversation_id":"([^"]+)"/.exec(events)?.[1];
    const { cookie, workspaceId } = member;
    const stream = await openSse(`${node.url}/api/v1/chat/stream?conversation_id=${id}`, {
      headers: { cookie, 'x-svc-workspace': workspaceId },
    });
    expect(stream.status).toBe(200);
    const change = (role: string) =>
      owner.call(`PATCH /api/console/members/${member.id}`, { body: { role } });
    expect((await change('viewer')).body).toMatchObject({ id: member.id, role: 'viewer' });
    expect((await member.call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } })).status).toBe(
      403,
    );
    expect((await member.call('GET /api/v1/bots')).status).toBe(200);
    expect((await owner.call(`DELETE /api/console/members/${member.id}`)).status).toBe(200);
    expect((await stream.ended()).events.map(({ event }) => event)).not.toContain('error');
    expect((await member.call('GET /api/v1/bots')).status).toBe(403);
  });

  it('of the last owner stays', async () => {
    const { id: workspaceId } = await service.makeWorkspace();
    const [first, second, viewer] = [
      await makeMember(service, { role: 'owner', workspaceId }),
      await makeMember(service, { role: 'owner', workspaceId }),
      await makeMember(service, { role: 'viewer', workspaceId }),
    ];
    const removing = await viewer.call(`DELETE /api/console/members/${first.id}`);
    expect(removing).toMatchObject({ status: 403, body: { details: [{ role: 'owner' }] } });
    const leave = ({ call, id }: Member) => call(`DELETE /api/console/members/${id}`);
    const left = await Promise.all([leave(first), leave(second)]);
    expect(left.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const last = left[0]?.status === 200 ? second : first;
    const demoted = await last.call(`PATCH /api/console/members/${last.id}`, { body: { role: 'viewer' } });
    expect(demoted).toMatchObject({ status: 409, body: { code: 'LAST_OWNER' } });
    expect((await leave(viewer)).status).toBe(200);
    const { body: members } = await last.call('GET /api/console/members');
    expect(members).toMatchObject([{ id: last.id, role: 'owner' }]);
  });
});

it('a workspace that is deleted leaves nothing of its members', async () => {
  const { id: workspaceId } = await service.makeWorkspace();
  const { cookie, call } = await makeMember(service, { role: 'owner', workspaceId });
  await call('POST /api/console/invitations', { body: { role: 'viewer', email: 'grace@example.com' } });
  await service.database.acrossWorkspaces.raw('delete from account_keys where workspace_id = $1', [
    workspaceId,
  ]);
  await service.database.acrossWorkspaces.raw('delete from workspaces where id = $1', [workspaceId]);
  const count = async (table: string) =>
    (
      await service.database.acrossWorkspaces.raw(`select from ${table} where workspace_id = $1`, [
        workspaceId,
      ])
    ).rows.length;
  expect([await count('members'), await count('member_links')]).toEqual([0, 0]);
  expect((await session(cookie)).body).toMatchObject({ workspaces: [] });
});
