import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { askedBy, canaryKey, chatWith, durable, namesOf, scriptedEnvironment } from '../support/chat.ts';
import {
  type HandPlayedModel,
  type PlayedReply,
  startHandPlayedModel,
} from '../support/hand-played-model.ts';
import type { SseReader } from '../support/sse-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let played: HandPlayedModel;
let service: TestApp;
let botId: string;
const chat = chatWith(() => service);
beforeAll(async () => {
  played = await startHandPlayedModel();
  service = await startTestApp({ environment: scriptedEnvironment(played) });
  botId = await chat.bot();
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(async () => {
  await service.stop();
  await played.close();
});

/** The conversation still works, and the model knows the text so far. */
async function continuesWith(user: object, said: string[]): Promise<void> {
  const next = await chat.send({ ...user, message: 'And now?' });
  const model = await played.next();
  expect(askedBy(model).map(({ content }) => content)).toEqual(['Be kind.', 'hello', ...said, 'And now?']);
  model.write('Back again.');
  model.finish();
  expect((await next.ended()).events.at(-1)?.event).toBe('turn.completed');
}

it.each<[string, (model: PlayedReply) => void]>([
  ['a cut connection', (model) => model.cut()],
  ['a body that ends', (model) => model.end()],
  ['a malformed frame', (model) => model.writeRaw('data: {"choices":[{"del\n\n')],
  ['an error', (model) => model.writeRaw(`data: {"error":{"message":"provider-words ${canaryKey}"}}\n\n`)],
])('%s midway keeps the text so far, marked as interrupted', async (_name, fail) => {
  const user = { bot_id: botId, external_user_id: randomUUID() };
  const sent = await chat.send(user);
  const model = await played.next();
  model.write('Half a sen');
  await sent.until('message.delta');
  fail(model);
  const { events, complete } = await sent.ended();
  expect(complete).toBe(true);
  const { conversation_id: id, turn_id: turnId } = events[0]?.data ?? {};
  expect(durable(events).slice(1)).toEqual([
    {
      id: 2,
      event: 'message.completed',
      data: { message: expect.objectContaining({ content: 'Half a sen', interrupted: true }) },
    },
    {
      id: 3,
      event: 'turn.failed',
      data: {
        turn_id: turnId,
        error: {
          success: false,
          code: 'MODEL_UNAVAILABLE',
          message: expect.stringMatching(/^The .*\.$/),
          request_id: expect.any(String),
          retryable: true,
        },
      },
    },
  ]);
  expect(JSON.stringify([events, service.logged])).not.toContain(canaryKey);
  expect(JSON.stringify(events)).not.toContain('provider-words');
  const { body } = await service.call(`GET /api/v1/conversations/${id}`);
  expect(body).toMatchObject({ status: 'idle', message_count: 2 });
  expect(body.messages[1]).toMatchObject({ content: 'Half a sen', interrupted: true });
  const stats = await service.call(`GET /api/v1/chat/stats?conversation_id=${id}`);
  expect(stats.body.output_tokens).toBeGreaterThan(0);
  await continuesWith(user, ['Half a sen']);
});

/** Advances only the timer that watches the model by a minute. */
async function aMinuteLater(reader: SseReader): Promise<void> {
  vi.advanceTimersByTime(59_000);
  await new Promise(setImmediate);
  expect(namesOf(reader.events)).not.toContain('turn.failed');
  vi.advanceTimersByTime(1_000);
  vi.useRealTimers();
}

it('a provider that does not begin is given up after a minute', async () => {
  const user = { bot_id: botId, external_user_id: randomUUID() };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const sent = await chat.send(user);
  const model = await played.next();
  await aMinuteLater(sent);
  const { events } = await sent.ended();
  expect(namesOf(events)).toEqual(['turn.started', 'turn.failed']);
  expect(events.at(-1)?.data.error).toMatchObject({
    code: 'MODEL_UNAVAILABLE',
    message: 'The model did not begin to reply within 60 seconds.',
    retryable: true,
  });
  await model.abandoned;
  await continuesWith(user, []);
});

it('a provider that falls silent midway is given up after a minute', async () => {
  const user = { bot_id: botId, external_user_id: randomUUID() };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const sent = await chat.send(user);
  const model = await played.next();
  model.write('Well,');
  await sent.until('message.delta');
  await aMinuteLater(sent);
  const { events } = await sent.ended();
  expect(events.at(-2)?.data.message).toMatchObject({ content: 'Well,', interrupted: true });
  expect(events.at(-1)?.data.error).toMatchObject({
    code: 'MODEL_UNAVAILABLE',
    message: 'The model stopped in the middle of its reply for 60 seconds.',
  });
  await model.abandoned;
  await continuesWith(user, ['Well,']);
});
