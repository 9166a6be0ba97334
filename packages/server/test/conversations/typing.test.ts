import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/lib/new-id.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import { type LiveClient, openLive } from '../console/support/live-client.ts';
import { text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, eventually, namesOf, scriptedEnvironment } from '../support/chat.ts';
import { makePerson, type Person, sayAs } from '../support/end-users.ts';
import { type Member, makeMember } from '../support/members.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { openSse, type SseReader } from '../support/sse-client.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';
import { createWidget, openPage } from '../widgets/use-widget.ts';

let store: TestDatabase;
let redis: RedisServer;
let scripted: ScriptedModel;
let first: TestNode;
let second: TestNode;
let botId: string;
let person: Person;
const streams: SseReader[] = [];
const consoles: LiveClient[] = [];
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
  botId = await chat.bot({ name: 'Support' });
  person = await makePerson(first);
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop(), scripted.close()]);
  await Promise.all([redis.stop(), store.drop()]);
});
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
  for (const { socket } of consoles.splice(0)) socket.terminate();
});

const place = () => ({ url: first.url, database: store.database });
const isTyping = ({ event }: { event: string }) => event === 'message.typing';

/** A conversation of the end user that waits for a person, unless it should not. */
async function begin({ waits = true } = {}): Promise<string> {
  const { conversationId: id } = await sayAs(first, person, { bot_id: botId, new_conversation: true });
  if (waits) await setWaiting(id, { reason: 'Wants a refund' });
  return id;
}

async function setWaiting(id: string, needs_human: object | null): Promise<void> {
  const answer = await first.call(`PATCH /api/v1/conversations/${id}`, { body: { needs_human } });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}

async function follow(node: TestNode, id: string, key = node.key): Promise<SseReader> {
  const stream = await openSse(`${node.url}/api/v1/chat/stream?conversation_id=${id}`, { key });
  streams.push(stream);
  return stream;
}

async function look(node: TestNode, member: Member, id: string, typing = false): Promise<LiveClient> {
  const client = await openLive(node.url, member);
  consoles.push(client);
  client.send({ type: 'follow', conversation_id: id });
  client.send({ type: 'look', conversation_id: id, is_typing: typing });
  return client;
}

/** Whom the console shows now. */
const shown = (client: LiveClient) =>
  client.received
    .flatMap((message) => (message.type === 'lookers' ? [message.lookers] : []))
    .at(-1)
    ?.map(({ name, is_typing }) => (is_typing ? `${name} types` : name));

const type = (id: string, { node = first, key = person.token }: { node?: TestNode; key?: string } = {}) =>
  node.call('POST /api/v1/chat/typing', { key, body: { conversation_id: id } });

/** What was written last has arrived, and everything before it. */
async function settle(id: string, ...readers: SseReader[]): Promise<void> {
  const content = randomUUID();
  await first.call(`POST /api/v1/conversations/${id}/messages`, { body: { content } });
  for (const reader of readers) await reader.until(({ data }) => data.message?.content === content);
}

it('the team is told that the user types, on every node, at most every two seconds', async () => {
  const id = await begin();
  const [team, own] = [await follow(second, id), await follow(second, id, person.token)];
  // A node sends previews only to those of which it knows that they listen.
  await settle(id, team, own);
  for (let count = 0; count < 5; count += 1) expect((await type(id.toUpperCase())).status).toBe(204);
  expect(await team.until('message.typing')).toEqual({
    event: 'message.typing',
    data: { role: 'user', author_name: null },
  });
  await settle(id, team, own);
  expect(team.events.filter(isTyping)).toHaveLength(1);
  // They know it themselves, and the log does not have it.
  expect(own.events.filter(isTyping)).toEqual([]);
  expect(namesOf(await chat.log(id, 0))).not.toContain('message.typing');
  await eventually(async () => {
    await type(id);
    return team.events.filter(isTyping).length;
  }).toBe(2);
});

it('is told only while the conversation waits for a person', async () => {
  const id = await begin({ waits: false });
  const team = await follow(first, id);
  await settle(id, team);
  expect((await type(id)).status).toBe(204);
  await settle(id, team);
  expect(team.events.filter(isTyping)).toEqual([]);
});

it('is reported by the user of the conversation alone, and by keys that may write to bots', async () => {
  const id = await begin();
  const reader = await follow(first, id);
  const other = await makePerson(first);
  const workspaces = createWorkspaceService(store);
  const { id: workspaceId } = await store.database.acrossWorkspaces.transaction((tx) =>
    workspaces.create(tx, 'Elsewhere'),
  );
  const stranger = await makeMember(place(), { role: 'owner', workspaceId });
  const foreign = (
    await stranger.call('POST /api/v1/keys', { body: { name: 'Foreign', abilities: ['all'] } })
  ).body.key;
  for (const key of [other.token, foreign]) expect((await type(id, { key })).status).toBe(404);
  expect((await type(newId())).status).toBe(404);
  const { key: weak } = (
    await first.call('POST /api/v1/keys', { body: { name: 'Reader', abilities: ['conversations:read'] } })
  ).body;
  expect((await type(id, { key: weak })).status).toBe(403);
  const member = await makeMember(place(), { role: 'owner' });
  const body = { conversation_id: id };
  expect((await member.call('POST /api/v1/chat/typing', { body })).status).toBe(403);
  await settle(id, reader);
  expect(reader.events.filter(isTyping)).toEqual([]);
  expect((await type(id, { key: first.key })).status).toBe(204);
  await reader.until('message.typing');
});

it('a visitor of a widget reports it for their own conversations', async () => {
  const { api_key: key } = await createWidget(first);
  const page = openPage(first, key);
  const [{ token }, other] = [await page.issueToken(), await page.issueToken()];
  const id = await page.say(token);
  await setWaiting(id, { reason: 'Asked for one' });
  const reader = await follow(first, id);
  await settle(id, reader);
  const report = (given: string) =>
    page.call('POST /api/widget/typing', { token: given, body: { conversation_id: id } });
  expect((await report(other.token)).status).toBe(404);
  expect((await report(token)).status).toBe(204);
  expect((await reader.until('message.typing')).data).toEqual({ role: 'user', author_name: null });
});

it('the user is told the name of the member who types a reply, on every node', async () => {
  const id = await begin();
  const user = await follow(second, id, person.token);
  const ada = await makeMember(place(), { role: 'operator', name: 'Ada Lovelace' });
  const client = await look(first, ada, id);
  await settle(id, user);
  const typing = () => client.send({ type: 'look', conversation_id: id, is_typing: true });
  typing();
  expect(await user.until('message.typing')).toEqual({
    event: 'message.typing',
    data: { author_name: 'Ada Lovelace' },
  });
  // Not while the bot answers.
  await setWaiting(id, null);
  const before = user.events.filter(isTyping).length;
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  typing();
  await settle(id, user);
  expect(user.events.filter(isTyping)).toHaveLength(before);
});

it('a viewer who says that they type is not believed', async () => {
  const id = await begin();
  const user = await follow(first, id, person.token);
  const [ada, viewer] = [
    await makeMember(place(), { role: 'operator', name: 'Ada Lovelace' }),
    await makeMember(place(), { role: 'viewer', name: 'Vera' }),
  ];
  const client = await look(first, ada, id);
  await look(first, viewer, id, true);
  await eventually(() => shown(client)).toEqual(['Vera']);
  await settle(id, user);
  expect(user.events.filter(isTyping)).toEqual([]);
});

it('members see who else looks at a conversation and types, on every node, until they leave', async () => {
  const id = await begin();
  const [ada, grace] = [
    await makeMember(place(), { role: 'operator', name: 'Ada Lovelace' }),
    await makeMember(place(), { role: 'operator', name: 'Grace Hopper' }),
  ];
  const here = await look(first, ada, id);
  const there = await look(second, grace, id);
  await eventually(() => shown(there)).toEqual(['Ada Lovelace']);
  await eventually(() => shown(here)).toEqual(['Grace Hopper']);
  // Another tab of the same person is not another person.
  const tab = await look(second, ada, id, true);
  await eventually(() => shown(there)).toEqual(['Ada Lovelace types']);
  await eventually(() => shown(tab)).toEqual(['Grace Hopper']);
  tab.socket.terminate();
  await eventually(() => shown(there)).toEqual(['Ada Lovelace']);
  const other = await begin();
  here.send({ type: 'follow', conversation_id: other });
  here.send({ type: 'look', conversation_id: other, is_typing: false });
  await eventually(() => shown(there)).toEqual([]);
});

it('nobody looks at conversations of other workspaces, or that they do not follow', async () => {
  const id = await begin();
  const ada = await makeMember(place(), { role: 'operator', name: 'Ada Lovelace' });
  const workspaces = createWorkspaceService(store);
  const { id: workspaceId } = await store.database.acrossWorkspaces.transaction((tx) =>
    workspaces.create(tx, 'Elsewhere'),
  );
  const stranger = await makeMember(place(), { role: 'owner', name: 'Eve', workspaceId });
  const own = await look(first, ada, id);
  const foreign = await look(first, stranger, id, true);
  await foreign.next({ type: 'unfollowed' });
  foreign.send({ type: 'look', conversation_id: id, is_typing: true });
  const grace = await makeMember(place(), { role: 'operator', name: 'Grace Hopper' });
  const unfollowed = await openLive(first.url, grace);
  consoles.push(unfollowed);
  unfollowed.send({ type: 'look', conversation_id: id, is_typing: true });
  await look(first, grace, id);
  await eventually(() => shown(own)).toEqual(['Grace Hopper']);
  expect([shown(foreign), shown(unfollowed)]).toEqual([undefined, undefined]);
});
