import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, scriptedEnvironment } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
let botId: string;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  scripted.respondWith([text('Yes.')]);
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
  botId = await chat.bot();
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

const read = async (id: string) => (await service.call(`GET /api/v1/conversations/${id}`)).body;

it('continues the latest conversation of this user with this bot', async () => {
  const user = { external_user_id: randomUUID() };
  const otherBot = await chat.bot();
  const first = await chat.say({ bot_id: botId, ...user });
  const second = await chat.say({ bot_id: botId, ...user });
  expect(second.conversationId).toBe(first.conversationId);
  const ofOtherBot = await chat.say({ bot_id: otherBot, ...user });
  const ofOtherUser = await chat.say({ bot_id: botId, external_user_id: randomUUID() });
  expect(new Set([first, ofOtherBot, ofOtherUser].map(({ conversationId }) => conversationId)).size).toBe(3);
  expect((await chat.say({ bot_id: botId, ...user })).conversationId).toBe(first.conversationId);
  expect((await chat.say({ bot_id: otherBot, ...user })).conversationId).toBe(ofOtherBot.conversationId);
});

it('starts a new conversation when requested; the latest is the one with the newest message', async () => {
  const user = { bot_id: botId, external_user_id: randomUUID() };
  const first = await chat.say(user);
  const fresh = await chat.say({ ...user, new_conversation: true });
  expect(fresh.conversationId).not.toBe(first.conversationId);
  expect(fresh.events[0]?.id).toBe(1);
  expect((await chat.say({ ...user, new_conversation: false })).conversationId).toBe(fresh.conversationId);
  const back = await chat.say({
    external_user_id: user.external_user_id,
    conversation_id: first.conversationId,
  });
  expect(back.conversationId).toBe(first.conversationId);
  expect((await chat.say(user)).conversationId).toBe(first.conversationId);
});

it('does not continue a run or a call', async () => {
  const user = { bot_id: botId, external_user_id: randomUUID() };
  const { conversationId } = await chat.say(user);
  await service.database.acrossWorkspaces.execute(
    sql`update conversations set channel = 'voice' where id = ${conversationId}`,
  );
  expect((await chat.say(user)).conversationId).not.toBe(conversationId);
});

it('has a title, its user, its channel and its counts', async () => {
  const message = `  Where is\n my parcel? ${'It was sent on Monday. '.repeat(10)}`;
  const { conversationId } = await chat.say({ bot_id: botId, message, external_user_id: 'tina' });
  const conversation = await read(conversationId);
  expect(conversation).toMatchObject({
    id: conversationId,
    bot_id: botId,
    channel: 'chat',
    external_user_id: 'tina',
    title: 'Where is my parcel? It was sent on Monday. It was sent on Monday. It was sent…',
    status: 'idle',
    metadata: {},
    message_count: 2,
  });
  await chat.say({ conversation_id: conversationId, external_user_id: 'tina', message: 'Another title?' });
  const later = await read(conversationId);
  expect(later).toMatchObject({
    title: conversation.title,
    message_count: 4,
    created_at: conversation.created_at,
  });
  expect(later.last_message_at > conversation.last_message_at).toBe(true);
  expect(later.updated_at >= later.last_message_at).toBe(true);
});

it('stores metadata, replaces it when sent again, and otherwise leaves it', async () => {
  const user = { bot_id: botId, external_user_id: randomUUID() };
  const { conversationId } = await chat.say({ ...user, metadata: { shop: 'berlin', lane: '1' } });
  expect((await read(conversationId)).metadata).toEqual({ shop: 'berlin', lane: '1' });
  await chat.say(user);
  expect((await read(conversationId)).metadata).toEqual({ shop: 'berlin', lane: '1' });
  await chat.say({ ...user, metadata: { shop: 'ulm' } });
  expect((await read(conversationId)).metadata).toEqual({ shop: 'ulm' });
  await chat.say({ ...user, metadata: {} });
  expect((await read(conversationId)).metadata).toEqual({});
});

it('uses the bot as it is now: a new model, new instructions', async () => {
  const bot = await chat.bot({ system_prompt: 'Old.', temperature: 0.25 });
  const user = { bot_id: bot, external_user_id: randomUUID() };
  await chat.say(user);
  expect(scripted.requests.at(-1)?.body).toMatchObject({
    model: 'gpt-4o',
    temperature: 0.25,
    messages: [{ role: 'system', content: 'Old.' }, { role: 'user' }],
  });
  await service.call(`PUT /api/v1/bots/${bot}`, { body: { system_prompt: 'New.', model: 'openai/gpt-4.1' } });
  await chat.say(user);
  expect(scripted.requests.at(-1)?.body).toMatchObject({
    model: 'gpt-4.1',
    messages: [{ role: 'system', content: 'New.' }, {}, {}, {}],
  });
});

it('begins one conversation when a new user sends several messages concurrently', async () => {
  const user = { bot_id: botId, external_user_id: randomUUID() };
  const readers = await Promise.all(Array.from({ length: 10 }, () => chat.send(user)));
  const accepted = readers.filter(({ status }) => status === 200);
  await Promise.all(accepted.map((reader) => reader.ended()));
  const { body } = await service.call(`GET /api/v1/conversations?external_user_id=${user.external_user_id}`);
  expect(body).toHaveLength(1);
  expect(body[0].message_count).toBe(accepted.length * 2);
  for (const refused of readers.filter(({ status }) => status !== 200)) {
    const error = { code: 'TURN_IN_PROGRESS', details: [{ conversation_id: body[0].id }] };
    expect(refused).toMatchObject({ status: 409, error });
  }
});
