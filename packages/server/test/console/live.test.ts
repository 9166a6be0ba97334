import { signedOutCode } from '@svc/contract/live';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/new-id.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import { text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import { connectMachine } from '../support/machine-client.ts';
import { type Member, makeMember, memberPassword } from '../support/members.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';
import { connectLive, type LiveClient, openLive, refusalOf } from './support/live-client.ts';

let store: TestDatabase;
let redis: RedisServer;
let scripted: ScriptedModel;
let first: TestNode;
let second: TestNode;
let viewer: Member;
let botId: string;
let clients: LiveClient[] = [];
const chat = chatWith(() => first);

beforeAll(async () => {
  [store, redis, scripted] = await Promise.all([
    createTestDatabase(),
    startRedisServer(),
    startScriptedModel(),
  ]);
  const environment = { ...scriptedEnvironment(scripted), REDIS_URL: redis.url };
  first = await startNode({ ...store, environment });
  second = await startNode({ ...store, environment });
  scripted.respondWith(() => [text('Certainly.')]);
  viewer = await makeMember({ url: first.url, database: store.database }, { role: 'viewer' });
  botId = await chat.bot({ name: 'Support' });
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop(), scripted.close()]);
  await Promise.all([redis.stop(), store.drop()]);
});
afterEach(() => {
  for (const { socket } of clients) socket.terminate();
  clients = [];
});

async function open(node: TestNode, member = viewer): Promise<LiveClient> {
  const client = await openLive(node.url, member);
  clients.push(client);
  return client;
}

/**
 * A console on the second node, of which the first one knows. A busy node takes a while to learn of a new listener; until
 * then it sends it a request to read again in place of what changes.
 */
async function openThere(member = viewer): Promise<LiveClient> {
  const client = await open(second, member);
  await eventually(async () => {
    await first.call(`PATCH /api/v1/bots/${botId}/metadata`, { body: {} });
    return client.received.some(({ type }) => type === 'changed');
  }).toBe(true);
  return client;
}

function connect(...parameters: Parameters<typeof connectLive>): LiveClient {
  const client = connectLive(...parameters);
  clients.push(client);
  return client;
}

describe('what changes in a workspace', () => {
  it('is sent to its consoles on every node, as their lists show it', async () => {
    const [here, there] = [await open(first), await openThere()];
    const { conversationId } = await chat.say({ bot_id: botId, external_user_id: 'ada', message: 'Hello' });
    for (const client of [here, there]) {
      await client.next({ type: 'waiting' });
      await eventually(() => client.received.findLast(({ type }) => type === 'changed')).toMatchObject({
        object: 'conversation',
        id: conversationId,
        data: {
          id: conversationId,
          bot_name: 'Support',
          external_user_id: 'ada',
          preview: 'Certainly.',
          status: 'idle',
        },
      });
    }
  });

  it('is announced when a request has changed it, whichever node answered', async () => {
    const client = await openThere();
    const answer = await first.call(`PATCH /api/v1/bots/${botId}/metadata`, { body: { tier: 'gold' } });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    await client.next({ type: 'changed', object: 'bot', id: botId });
    const passing = await chat.bot({ name: 'Passing' });
    expect((await first.call(`DELETE /api/v1/bots/${passing}`)).status).toBe(200);
    await client.next({ type: 'changed', object: 'bot', id: passing });
  });

  it('is announced when a person joins, with a new account or the one they have', async () => {
    const place = { url: first.url, database: store.database };
    const owner = await makeMember(place, { role: 'owner' });
    const workspaces = createWorkspaceService(store);
    const { id: workspaceId } = await store.database.acrossWorkspaces.transaction((tx) =>
      workspaces.create(tx, 'Elsewhere'),
    );
    const guest = await makeMember(place, { role: 'owner', workspaceId });
    const client = await openThere(owner);
    const accept = async (member: Member, person: { email?: string; name?: string; password?: string }) => {
      const invitation = { role: 'viewer', email: person.email ?? member.email };
      const { url } = (await owner.call('POST /api/console/invitations', { body: invitation })).body;
      const body = { token: new URL(url).searchParams.get('token'), ...person };
      expect((await member.call('POST /api/console/invitation/accept', { body })).status).toBe(200);
    };
    await accept(guest, {});
    await client.next({ type: 'changed', object: 'member', id: guest.id });
    const email = 'joins@example.com';
    await accept(guest, { name: 'Grace', email, password: memberPassword });
    const members = (await owner.call('GET /api/console/members')).body as { id: string; email: string }[];
    const joined = members.find((one) => one.email === email)?.id;
    await client.next({ type: 'changed', object: 'member', id: joined });
  });

  it('is announced when a machine connects', async () => {
    const client = await openThere();
    const { id, token } = (await first.call('POST /api/v1/machines', { body: { name: 'desk' } })).body;
    const machine = await connectMachine(first.url, token);
    await client.next({ type: 'changed', object: 'machine', id });
    await machine.close();
  });

  it('is announced from the greeting on, even by a node that found no listener before', async () => {
    for (let round = 0; round < 5; round += 1) {
      const change = () =>
        first.call(`PATCH /api/v1/bots/${botId}/metadata`, { body: { round: `${round}` } });
      await change();
      const client = await open(second);
      await change();
      // It is told of the change, or asked to read everything again if the first node learned of it too late.
      const isTold = () =>
        client.received.some(
          (message) => message.type === 'resync' || (message.type === 'changed' && message.id === botId),
        );
      await eventually(isTold).toBe(true);
      client.socket.terminate();
    }
  });

  it('is announced when a person is erased, whose name is not an id', async () => {
    const client = await open(first);
    await chat.say({ bot_id: botId, external_user_id: 'erin' });
    const answer = await first.call('DELETE /api/v1/end-users/erin');
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    await client.next({ type: 'changed', object: 'conversation', id: null });
  });

  it('is gathered: many changes are one message each, and too many are one request to read again', async () => {
    const client = await open(first);
    const { conversationId } = await chat.say({ bot_id: botId });
    await client.next({ type: 'changed', id: conversationId });
    const sent = client.received.filter(
      (message) => message.type === 'changed' && message.id === conversationId,
    );
    // The turn began, was answered and completed.
    expect(sent.length).toBeLessThanOrEqual(3);
  });

  it('is read again after messages between nodes were lost', async () => {
    const [here, there] = [await open(first), await open(second)];
    await redis.kill();
    await redis.restart();
    // Only then do the nodes reach each other again, which other tests need.
    await Promise.all([here.next({ type: 'resync' }), there.next({ type: 'resync' })]);
  });
});

describe('a followed conversation', () => {
  it('is sent from the event after the last one seen, without gaps, on any node', async () => {
    const { conversationId, events } = await chat.say({ bot_id: botId, external_user_id: 'grace' });
    const client = await open(second);
    const known = events.filter(({ id }) => id !== undefined);
    client.send({ type: 'follow', conversation_id: conversationId, after: 1 });
    const numbered = () =>
      client.received.flatMap((message) =>
        message.type === 'event' && message.id !== null ? [message] : [],
      );
    await eventually(() => numbered().map(({ id }) => id)).toEqual(known.slice(1).map(({ id }) => id));
    const { events: more } = await chat.say({
      bot_id: botId,
      conversation_id: conversationId,
      external_user_id: 'grace',
    });
    const last = more.findLast(({ id }) => id !== undefined);
    await eventually(() => numbered().at(-1)).toMatchObject({
      id: last?.id,
      event: 'turn.completed',
      data: last?.data,
    });
    expect(numbered().map(({ id }) => id)).toEqual(numbered().map((_, index) => index + 2));
  });

  it('that does not exist in the workspace is reported', async () => {
    const client = await open(first);
    const id = newId();
    client.send({ type: 'follow', conversation_id: id });
    expect(await client.next({ type: 'unfollowed' })).toMatchObject({
      conversation_id: id,
      code: 'NOT_FOUND',
    });
  });

  it('of another workspace does not exist, and nothing is heard of what changes there', async () => {
    const { database } = store;
    const workspaces = createWorkspaceService(store);
    const { id: workspaceId } = await database.acrossWorkspaces.transaction((tx) =>
      workspaces.create(tx, 'Elsewhere'),
    );
    const stranger = await makeMember({ url: first.url, database }, { role: 'owner', workspaceId });
    const [own, foreign] = [await open(first), await open(first, stranger)];
    const { conversationId } = await chat.say({ bot_id: botId, external_user_id: 'mary' });
    foreign.send({ type: 'follow', conversation_id: conversationId, after: 0 });
    expect(await foreign.next({ type: 'unfollowed' })).toMatchObject({
      conversation_id: conversationId,
      code: 'NOT_FOUND',
    });
    await own.next({ type: 'changed', id: conversationId });
    const heard = foreign.received.filter(
      (message) =>
        message.type === 'event' || (message.type === 'changed' && message.object === 'conversation'),
    );
    expect(heard).toEqual([]);
  });

  it('is one of at most eight', async () => {
    const client = await open(first);
    const said = await Promise.all(Array.from({ length: 9 }, () => chat.say({ bot_id: botId })));
    for (const { conversationId } of said)
      client.send({ type: 'follow', conversation_id: conversationId, after: 0 });
    expect(await client.next({ type: 'unfollowed' })).toMatchObject({
      conversation_id: said[8]?.conversationId,
    });
    client.send({ type: 'unfollow', conversation_id: said[0]?.conversationId ?? '' });
    client.send({ type: 'follow', conversation_id: said[8]?.conversationId ?? '', after: 0 });
    await client.next({ type: 'event', conversation_id: said[8]?.conversationId });
  });
});

describe('a connection', () => {
  it('is refused to pages of other sites, to strangers and to members of other workspaces', async () => {
    const foreign = connect(first.url, viewer, { origin: 'https://evil.example' });
    const stranger = connect(first.url, { ...viewer, cookie: 'svc_session=nothing' });
    const elsewhere = connect(first.url, { ...viewer, workspaceId: newId() });
    expect(await Promise.all([foreign, stranger, elsewhere].map(refusalOf))).toEqual([403, 401, 403]);
  });

  it('is closed when the person is removed from the workspace, on every node', async () => {
    const place = { url: first.url, database: store.database };
    const owner = await makeMember(place, { role: 'owner' });
    const leaving = await makeMember(place, { role: 'operator' });
    const sockets = [await open(first, leaving), await open(second, leaving)];
    const stays = await open(first);
    await owner.call(`DELETE /api/console/members/${leaving.id}`);
    for (const client of sockets) await eventually(client.closed).toBe(signedOutCode);
    expect(stays.closed()).toBeUndefined();
  });

  it('is closed when its session ends', async () => {
    const member = await makeMember({ url: first.url, database: store.database }, { role: 'operator' });
    const client = await open(second, member);
    await member.call('POST /api/console/sign-out', { headers: { 'x-svc-console': '1' } });
    await eventually(client.closed).toBe(signedOutCode);
  });

  it('is one of at most fifty of a person on a node', async () => {
    const member = await makeMember({ url: first.url, database: store.database }, { role: 'viewer' });
    const sockets = await Promise.all(Array.from({ length: 50 }, () => open(first, member)));
    const late = connect(first.url, member);
    await eventually(late.closed).toBe(1013);
    expect(sockets.map(({ closed }) => closed())).toEqual(Array(50).fill(undefined));
  });

  it('is closed when it sends what is not a request', async () => {
    const client = await open(first);
    client.send('{"type":"follow","conversation_id":"x"}');
    await eventually(client.closed).toBe(1008);
  });

  it('is closed in good time when its node stops, so that consoles go to another one', async () => {
    const third = await startNode({ ...store });
    const client = await openLive(third.url, viewer);
    await third.stop();
    await eventually(client.closed).toBe(1012);
  });
});
