import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chatWith } from '../support/chat.ts';
import { makePerson, sayAs } from '../support/end-users.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
let botId: string;
const chat = chatWith(() => service);
beforeAll(async () => {
  service = await startTestApp();
  botId = await chat.bot();
});
afterAll(() => service.stop());

const send = (token: string, key: string, message: object = {}) =>
  chat.say(
    { bot_id: botId, external_user_id: undefined, ...message },
    { key: token, headers: { 'idempotency-key': key } },
  );

it("repeats an end user's own message, with any of their tokens", async () => {
  const person = await makePerson(service);
  const again = await makePerson(service, { userId: person.userId });
  const key = randomUUID();
  const first = await send(person.token, key);
  expect((await send(person.token, key)).turnId).toBe(first.turnId);
  expect((await send(again.token, key)).turnId).toBe(first.turnId);
  const other = await chat.send(
    { bot_id: botId, external_user_id: undefined, message: 'Another' },
    { key: person.token, headers: { 'idempotency-key': key } },
  );
  expect(other).toMatchObject({ status: 409, error: { code: 'IDEMPOTENCY_MISMATCH' } });
});

it("never matches another user's key, or the integration's", async () => {
  const [ann, bob] = [await makePerson(service), await makePerson(service)];
  const key = randomUUID();
  const turns = [await send(ann.token, key), await send(bob.token, key)];
  turns.push(
    await chat.say({ bot_id: botId, external_user_id: ann.userId }, { headers: { 'idempotency-key': key } }),
  );
  expect(new Set(turns.map(({ turnId }) => turnId)).size).toBe(3);
  const stop = (token: string, conversationId: string) =>
    service.call('POST /api/v1/chat/stop', {
      key: token,
      body: { conversation_id: conversationId },
      headers: { 'idempotency-key': randomUUID() },
    });
  expect(await stop(ann.token, turns[0]?.conversationId ?? '')).toMatchObject({ body: { stopped: false } });
  expect((await stop(bob.token, turns[0]?.conversationId ?? '')).status).toBe(404);
});

it("does not lead a token of one bot to another bot's conversation", async () => {
  const person = await makePerson(service, { bot_id: botId });
  const key = randomUUID();
  await send(person.token, key, { bot_id: undefined });
  const bound = await makePerson(service, { userId: person.userId, bot_id: await chat.bot() });
  for (const named of [{}, { bot_id: botId }]) {
    const repeat = await chat.send(
      { ...named, external_user_id: undefined },
      { key: bound.token, headers: { 'idempotency-key': key } },
    );
    expect(repeat.status).toBe(404);
  }
  const { conversationId } = await sayAs(service, bound, {});
  expect(conversationId).toEqual(expect.any(String));
});
