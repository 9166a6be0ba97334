import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usageRecords } from '../../src/billing/billing.tables.ts';
import { workspaces } from '../../src/workspaces/workspaces.tables.ts';
import { hang, text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, scriptedEnvironment } from '../support/chat.ts';
import { makePerson, sayAs } from '../support/end-users.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

let now = new Date();
let service: TestApp;
let scripted: ScriptedModel;
let botId: string;
const chat = chatWith(() => service);

beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ clock: { now: () => now }, environment: scriptedEnvironment(scripted) });
  scripted.respondWith([text('Hello.')]);
  botId = await chat.bot();
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

const statusOf = async (key: string) => (await service.call('GET /api/v1/conversations', { key })).status;

/** Runs with the clock so many seconds ahead. */
async function later<Result>(seconds: number, work: () => Promise<Result>): Promise<Result> {
  const before = now;
  now = new Date(now.getTime() + seconds * 1_000);
  try {
    return await work();
  } finally {
    now = before;
  }
}

async function makeKey(abilities = ['chat:write']): Promise<{ id: string; key: string }> {
  const answer = await service.call('POST /api/v1/keys', { body: { name: 'Page', abilities } });
  expect(answer.status).toBe(201);
  return answer.body;
}

describe('a token', () => {
  it('works until it expires', async () => {
    const body = { external_user_id: 'ann', expires_in: 60 };
    const { status, body: issued } = await service.call('POST /api/v1/end-user-tokens', { body });
    expect(status).toBe(201);
    expect(Date.parse(issued.expires_at) - now.getTime()).toBeGreaterThan(58_000);
    expect(await statusOf(issued.token)).toBe(200);
    expect(await later(58, () => statusOf(issued.token))).toBe(200);
    expect(await later(60, () => statusOf(issued.token))).toBe(401);
  });

  it('needs the ability to write, a bot that exists, and a sensible duration', async () => {
    const { key } = await makeKey(['conversations:read']);
    const create = (fields: object, options = {}) =>
      service.call('POST /api/v1/end-user-tokens', {
        body: { external_user_id: 'ann', expires_in: 60, ...fields },
        ...options,
      });
    expect((await create({}, { key })).status).toBe(403);
    expect((await create({ bot_id: randomUUID() })).status).toBe(404);
    for (const expires_in of [0, 59, 86_401, 61.5, '60'])
      expect((await create({ expires_in })).status).toBe(400);
    const other = await service.makeWorkspace();
    expect((await create({ bot_id: botId }, { key: other.key })).status).toBe(404);
  });

  it('is issued once per Idempotency-Key', async () => {
    const options = {
      body: { external_user_id: 'ann', expires_in: 60 },
      headers: { 'idempotency-key': randomUUID() },
    };
    const first = await service.call('POST /api/v1/end-user-tokens', options);
    expect((await service.call('POST /api/v1/end-user-tokens', options)).body).toEqual(first.body);
  });

  it('says nothing that can be read, and nothing of it can be changed', async () => {
    const { token, userId } = await makePerson(service);
    const bytes = Buffer.from(token.slice('svc_ut_'.length), 'base64url');
    expect(bytes.toString('latin1')).not.toContain(userId);
    for (let index = 0; index < bytes.length; index += 7) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(await statusOf(`svc_ut_${changed.toString('base64url')}`)).toBe(401);
    }
    for (const other of ['', 'x', `svc_rt_${token.slice(7)}`, token.slice(7, -8), 'x'.repeat(5_000)]) {
      expect(await statusOf(`svc_ut_${other}`)).toBe(401);
    }
    expect(await statusOf(`svc_rt_${token.slice(7)}`)).toBe(401);
  });

  it('sends as many messages as it may, with any token of the same person, and reads on', async () => {
    const person = await makePerson(service, { max_messages_per_hour: 2 });
    const again = await makePerson(service, { userId: person.userId, max_messages_per_hour: 2 });
    const send = (token: string, headers = {}) => {
      const body = { bot_id: botId, message: 'Hello' };
      return service.call('POST /api/v1/chat/send-stream', { key: token, body, headers });
    };
    const repeated = { 'idempotency-key': randomUUID() };
    expect((await send(person.token, repeated)).status).toBe(200);
    expect((await send(person.token, repeated)).status).toBe(200);
    expect((await send(again.token)).status).toBe(200);
    const details = [{ limit: 'max_messages_per_hour', value: 2 }];
    for (const { token } of [again, person, person])
      expect(await send(token)).toMatchObject({ status: 429, body: { details } });
    expect((await send(person.token, repeated)).status).toBe(200);
    expect(await statusOf(person.token)).toBe(200);
  });

  it('sends while its person has cost less than they may', async () => {
    const person = await makePerson(service, { max_usd_per_day: '0.5' });
    const [workspace] = await service.database.acrossWorkspaces
      .select({ id: workspaces.id })
      .from(workspaces);
    const usage = { model: 'test', inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, costUsd: '0.5' };
    await service.database.acrossWorkspaces.insert(usageRecords).values({
      ...usage,
      id: randomUUID(),
      workspaceId: workspace?.id ?? '',
      externalUserId: person.userId,
    });
    const body = { bot_id: botId, message: 'Hello' };
    expect(await service.call('POST /api/v1/chat/send-stream', { key: person.token, body })).toMatchObject({
      status: 429,
      body: { details: [{ limit: 'max_usd_per_day', value: '0.5' }] },
    });
  });

  it('cannot issue tokens', async () => {
    const { token } = await makePerson(service);
    const body = { external_user_id: 'bob', expires_in: 60 };
    expect((await service.call('POST /api/v1/end-user-tokens', { key: token, body })).status).toBe(403);
  });
});

describe('the key that issued a token', () => {
  it('ends it when it is revoked', async () => {
    const { id, key } = await makeKey();
    const person = await makePerson(service, { key });
    expect((await sayAs(service, person, { bot_id: botId })).text).toBe('Hello.');
    await service.call(`DELETE /api/v1/keys/${id}`);
    expect(await statusOf(person.token)).toBe(401);
  });

  it('ends it when it expires, even if the token was to last longer', async () => {
    const key = await service.makeKey({
      abilities: ['chat:write'],
      expiresAt: new Date(now.getTime() + 90_000),
    });
    const body = { external_user_id: 'ann', expires_in: 3_600 };
    const issued = (await service.call('POST /api/v1/end-user-tokens', { key, body })).body;
    expect(Date.parse(issued.expires_at)).toBeLessThanOrEqual(now.getTime() + 90_000);
    expect(await statusOf(issued.token)).toBe(200);
    expect(await later(90, () => statusOf(issued.token))).toBe(401);
  });

  it('ends its open streams when it is revoked', async () => {
    const { id, key } = await makeKey();
    const person = await makePerson(service, { key });
    scripted.enqueue([text('Wait'), hang]);
    const sending = await chat.send(
      { bot_id: botId, external_user_id: undefined, new_conversation: true },
      { key: person.token },
    );
    await sending.until('message.delta');
    const conversationId = sending.events[0]?.data.conversation_id as string;
    const following = await chat.listen(conversationId, { key: person.token });
    await following.until('stream.snapshot');
    await service.call(`DELETE /api/v1/keys/${id}`);
    await Promise.all([sending.ended(), following.ended()]);
    await service.call('POST /api/v1/chat/stop', { body: { conversation_id: conversationId } });
  });
});

it('ends a stream when the token expires', async () => {
  const person = await makePerson(service);
  const { conversationId } = await sayAs(service, person, { bot_id: botId });
  const reader = await later(3_599, () => chat.listen(conversationId, { key: person.token }));
  expect(reader.status).toBe(200);
  expect((await reader.ended()).complete).toBe(true);
});

describe('on several nodes', () => {
  let database: TestDatabase;
  let nodes: TestNode[];
  beforeAll(async () => {
    database = await createTestDatabase();
    nodes = [await startNode(database), await startNode(database)];
  });
  afterAll(async () => {
    for (const node of nodes) await node.stop();
    await database.drop();
  });

  it('a token works on all of them, and ends with its key on all of them', async () => {
    const [one, two] = nodes as [TestNode, TestNode];
    const { id, key } = (
      await one.call('POST /api/v1/keys', { body: { name: 'Page', abilities: ['chat:write'] } })
    ).body;
    const bot = (await one.call('POST /api/v1/bots', { body: { name: 'Bot', system_prompt: 'x' } })).body.id;
    const person = await makePerson(one, { key });
    const { conversationId } = await sayAs(one, person, { bot_id: bot });
    const reader = await chatWith(() => two).listen(conversationId, { key: person.token });
    expect(reader.status).toBe(200);
    await one.call(`DELETE /api/v1/keys/${id}`);
    await reader.ended();
    const again = await two.call('GET /api/v1/conversations', { key: person.token });
    expect(again.status).toBe(401);
  });
});
