import type { MemberHolding } from '@svc/contract/console-session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memberStore } from '../../src/members/members.store.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { eventually } from '../support/chat.ts';
import { createMachinePeer } from '../support/machine-peer.ts';
import { callAs, type Member, makeMember } from '../support/members.ts';
import { openSse } from '../support/sse-client.ts';
import { type Answer, type Call, startTestApp, type TestApp } from '../support/test-app.ts';
import { startNode, type TestNode } from '../support/test-node.ts';
import { countWaitingForLocks } from '../support/waiting-for-locks.ts';

let service: TestApp;
/** A second node on the same database. */
let node: TestNode;
let owner: Member;
let botId: string;
beforeAll(async () => {
  service = await startTestApp();
  node = await startNode({ database: service.database, keyRing: createKeyRing(service.encryptionKey) });
  owner = await makeMember(service, { role: 'owner' });
  const bot = { name: 'Bot', system_prompt: 'x' };
  botId = (await service.call('POST /api/v1/bots', { body: bot })).body.id;
});
afterAll(async () => {
  await node.stop();
  await service.stop();
});

interface Made {
  id: string;
  key: string;
}

type Caller = Pick<Member, 'call'> | Made;

function send(caller: Caller, operation: string, body?: unknown): Promise<Answer> {
  const request = body === undefined ? {} : { body };
  return 'call' in caller
    ? caller.call(operation, request)
    : service.call(operation, { key: caller.key, ...request });
}

async function make(caller: Caller, operation: string, body?: unknown) {
  const answer = await send(caller, operation, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
}

const makeKey = (caller: Caller, abilities: string[]): Promise<Made> =>
  make(caller, 'POST /api/v1/keys', { name: abilities.join(), abilities });
const pair = (caller: Caller, name: string) => make(caller, 'POST /api/v1/machines', { name });
const makeWidgetKey = (caller: Caller, name: string) =>
  make(caller, 'POST /api/v1/widgets/keys', { bot_id: botId, name, allowed_domains: ['example.com'] });
const makeSecret = (caller: Caller, id: string) =>
  make(caller, `POST /api/v1/widgets/keys/${id}/identity-secret`);
const invite = (caller: Caller) =>
  make(caller, 'POST /api/console/invitations', { role: 'owner', email: 'grace@example.com' });

const status = async (key: string, call: Call = service.call) =>
  (await call('GET /api/v1/bots', { key })).status;
const machineStatus = async (token: string) =>
  (await service.call('GET /api/machines/whoami', { key: token })).status;
const holdings = async (id: string, query = '', by: Member = owner) =>
  (await by.call(`GET /api/console/members/${id}/holdings${query}`)).body as MemberHolding[];
const demote = (id: string, role: string) =>
  owner.call(`PATCH /api/console/members/${id}`, { body: { role } });
const remove = (id: string) => owner.call(`DELETE /api/console/members/${id}`);
const hasSecret = async (id: string): Promise<boolean> => {
  const { body } = await service.call(`GET /api/v1/widgets/keys?bot_id=${botId}`);
  return body.find((key: { id: string }) => key.id === id).verifies_identity;
};

async function makeEverything(member: Caller) {
  const all = await makeKey(member, ['all']);
  const reading = await makeKey(all, ['bots:read']);
  const writing = await makeKey(all, ['bots:read', 'machines:write', 'widgets:write', 'workspace:write']);
  // The third in a row.
  const pairing = await makeKey(writing, ['bots:read', 'machines:write']);
  const machines = [await pair(member, 'by the member'), await pair(pairing, 'by a key')];
  const widgetKeys = [await makeWidgetKey(owner, 'first'), await makeWidgetKey(owner, 'second')];
  await makeSecret(member, widgetKeys[0].id);
  await makeSecret(writing, widgetKeys[1].id);
  return { all, reading, writing, pairing, machines, widgetKeys, secretIds: widgetKeys.map(({ id }) => id) };
}

describe('a member who gets a lesser role', () => {
  it('loses what exceeds it, on every node, and keeps the rest until they are removed', async () => {
    const member = await makeMember(service, { role: 'owner', name: 'Mary Shelley' });
    const { all, reading, writing, pairing, machines, secretIds } = await makeEverything(member);
    const invitation = await invite(member);
    const notTheirs = await makeKey(owner, ['all']);
    for (const { key } of [all, reading, writing, pairing]) expect(await status(key, node.call)).toBe(200);

    const announced = await holdings(member.id, '?role=operator');
    const ids = [all, reading, writing, pairing, ...machines].map(({ id }) => id);
    expect(announced.map(({ id }) => id).toSorted()).toEqual(
      [...ids, ...secretIds, invitation.id].toSorted(),
    );
    const revoked = announced.filter((one) => one.is_revoked).map(({ id }) => id);
    expect(new Set(revoked)).toEqual(new Set([all.id, writing.id, invitation.id]));

    expect((await demote(member.id, 'operator')).status).toBe(200);
    expect([await status(all.key), await status(writing.key)]).toEqual([401, 401]);
    await eventually(() => status(all.key, node.call)).toBe(401);
    expect([await status(reading.key), await status(pairing.key)]).toEqual([200, 200]);
    expect(await Promise.all(machines.map(({ token }) => machineStatus(token)))).toEqual([200, 200]);
    expect(await Promise.all(secretIds.map(hasSecret))).toEqual([true, true]);
    expect(await status(notTheirs.key)).toBe(200);

    expect((await demote(member.id, 'viewer')).status).toBe(200);
    expect([await status(reading.key), await status(pairing.key)]).toEqual([200, 401]);
    expect(await Promise.all(machines.map(({ token }) => machineStatus(token)))).toEqual([401, 401]);
    expect(await Promise.all(secretIds.map(hasSecret))).toEqual([false, false]);

    expect(await holdings(member.id)).toMatchObject([{ type: 'key', id: reading.id, is_revoked: true }]);
    expect((await remove(member.id)).status).toBe(200);
    expect(await status(reading.key)).toBe(401);
    expect(await status(notTheirs.key)).toBe(200);
  });

  it('reads in the audit log why something stopped working', async () => {
    const member = await makeMember(service, { role: 'owner', name: 'Mary Shelley' });
    const key = await makeKey(member, ['all']);
    const { id: machineId } = await pair(member, 'laptop');
    const { id: widgetKeyId } = await makeWidgetKey(owner, 'site');
    await makeSecret(member, widgetKeyId);
    const { id: invitationId } = await invite(member);
    await remove(member.id);
    const after = 'Mary Shelley was removed from the workspace.';
    for (const [id, action] of [
      [key.id, 'key.revoked'],
      [machineId, 'machine.revoked'],
      [widgetKeyId, 'widget_key.updated'],
      [invitationId, 'invitation.revoked'],
    ]) {
      const { body } = await owner.call(`GET /api/v1/audit?object=${id}&limit=1`);
      expect(body, action).toMatchObject([{ action, actor: { id: owner.id } }]);
      expect(body[0].changes, action).toContainEqual({ field: 'reason', before: null, after });
    }
  });
});

describe('a member who is removed', () => {
  it('has no open stream and no connected machine left, whichever node it is on', async () => {
    const member = await makeMember(service, { role: 'owner' });
    const made = await makeKey(await makeKey(member, ['all']), ['conversations:read']);
    const { token } = await pair(member, 'laptop');
    const peer = createMachinePeer(token);
    await peer.connect(node.url);
    const message = { bot_id: botId, message: 'Hello', external_user_id: 'somebody' };
    const { body: events } = await service.call('POST /api/v1/chat/send-stream', { body: message });
    const id = /"conversation_id":"([^"]+)"/.exec(events)?.[1];
    const stream = await openSse(`${node.url}/api/v1/chat/stream?conversation_id=${id}`, { key: made.key });
    expect(stream.status).toBe(200);
    await remove(member.id);
    await stream.ended();
    await eventually(() => peer.isConnected()).toBe(false);
  });

  it('keeps what they made in another workspace', async () => {
    const { id: workspaceId } = await service.makeWorkspace('Elsewhere');
    const member = await makeMember(service, { role: 'owner' });
    await service.database.acrossWorkspaces.transaction((tx) =>
      memberStore.insert(tx, workspaceId, member.id, 'owner'),
    );
    const elsewhere = { call: callAs(service.url, member.cookie, workspaceId) };
    const [here, there] = [await makeKey(member, ['all']), await makeKey(elsewhere, ['all'])];
    const stranger = await makeMember(service, { role: 'owner', workspaceId });
    expect(await holdings(member.id, '', stranger)).toMatchObject([{ id: there.id }]);
    await remove(member.id);
    expect([await status(here.key), await status(there.key)]).toEqual([401, 200]);
    expect((await owner.call(`GET /api/console/members/${member.id}/holdings`)).status).toBe(404);
  });

  it('is shown to owners and to the person only', async () => {
    const viewer = await makeMember(service, { role: 'viewer' });
    const forbidden = await viewer.call(`GET /api/console/members/${owner.id}/holdings`);
    expect(forbidden).toMatchObject({ status: 403, body: { details: [{ role: 'owner' }] } });
    expect(await holdings(viewer.id, '', viewer)).toEqual([]);
    const wrong = await owner.call(`GET /api/console/members/${viewer.id}/holdings?role=king`);
    expect(wrong).toMatchObject({ status: 400, body: { details: [{ path: 'role' }] } });
  });
});

describe('what is made at the moment of the removal', () => {
  /** While the transaction that ends the rights is open, the request has come in and waits for it. */
  async function makeWhileRemoved(request: (member: Member, key: Made) => Promise<Answer>) {
    const { database } = service;
    const member = await makeMember(service, { role: 'owner' });
    const key = await makeKey(member, ['all']);
    const making = Promise.withResolvers<Answer>();
    const locked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    // Holds the removal between its locks and its end.
    const blocking = database.acrossWorkspaces.transaction(async (tx) => {
      await tx.execute('lock table audit_entries in exclusive mode');
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const removing = remove(member.id);
    await eventually(() => countWaitingForLocks(database)).toBe(1);
    request(member, key).then(making.resolve, making.reject);
    await eventually(() => countWaitingForLocks(database)).toBe(2);
    release.resolve();
    await blocking;
    expect((await removing).status).toBe(200);
    return making.promise;
  }

  it.each([
    ['a key by the member', (member: Member) => send(member, 'POST /api/v1/keys', newKey), 403],
    ['a key by their key', (_: Member, key: Made) => send(key, 'POST /api/v1/keys', newKey), 401],
    ['a machine by the member', (member: Member) => send(member, 'POST /api/v1/machines', newMachine), 403],
    ['a machine by their key', (_: Member, key: Made) => send(key, 'POST /api/v1/machines', newMachine), 401],
  ])('does not exist: %s', async (_name, request, expected) => {
    expect((await makeWhileRemoved(request)).status).toBe(expected);
  });

  it('does not exist: a role that they give, or the end of another member', async () => {
    const roleOf = async (id: string) =>
      (await owner.call('GET /api/console/members')).body.find((one: { id: string }) => one.id === id)?.role;
    const { id } = await makeMember(service, { role: 'viewer' });
    const promoted = await makeWhileRemoved((member) =>
      send(member, `PATCH /api/console/members/${id}`, { role: 'owner' }),
    );
    const removed = await makeWhileRemoved((member) => send(member, `DELETE /api/console/members/${id}`));
    expect([promoted.status, removed.status, await roleOf(id)]).toEqual([403, 403, 'viewer']);
  });

  it('does not exist: an identity secret', async () => {
    const { id } = await makeWidgetKey(owner, 'site');
    const answer = await makeWhileRemoved((member) =>
      send(member, `POST /api/v1/widgets/keys/${id}/identity-secret`),
    );
    expect(answer.status).toBe(403);
    expect(await hasSecret(id)).toBe(false);
  });

  it('does not exist: a right to use the machine of somebody else', async () => {
    const { id } = await pair(owner, 'laptop');
    const answer = await makeWhileRemoved((member) =>
      send(owner, `PATCH /api/v1/machines/${id}`, { allowed_members: [member.id] }),
    );
    expect(answer).toMatchObject({ status: 400, body: { details: [{ path: 'allowed_members' }] } });
  });

  it('does not work, however the two meet', async () => {
    for (let round = 0; round < 5; round += 1) {
      const member = await makeMember(service, { role: 'owner' });
      const key = await makeKey(member, ['all']);
      const [, ...made] = await Promise.all([
        remove(member.id),
        send(member, 'POST /api/v1/keys', newKey),
        send(key, 'POST /api/v1/keys', newKey),
        send(key, 'POST /api/v1/keys', newKey),
      ]);
      for (const { status: answered, body } of made)
        if (answered === 201) expect(await status(body.key)).toBe(401);
    }
  });
});

const newKey = { name: 'too late', abilities: ['bots:read'] };
const newMachine = { name: 'too late' };
