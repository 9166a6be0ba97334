import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { askedBy, chatWith, durable, namesOf, scriptedEnvironment } from '../support/chat.ts';
import { type HandPlayedModel, startHandPlayedModel } from '../support/hand-played-model.ts';
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
afterAll(async () => {
  await service.stop();
  await played.close();
});

const stop = (conversationId: string, key?: string) =>
  service.call('POST /api/v1/chat/stop', {
    body: { conversation_id: conversationId },
    ...(key && { key }),
  });

async function begin() {
  const user = { bot_id: botId, external_user_id: randomUUID() };
  const sent = await chat.send(user);
  const model = await played.next();
  const { data } = await sent.until('turn.started');
  return { user, sent, model, id: data.conversation_id as string, turnId: data.turn_id as string };
}

it('keeps the text so far, closes the provider’s connection, and the conversation continues', async () => {
  const { user, sent, model, id, turnId } = await begin();
  model.write('The answer', ' is');
  await sent.until(({ event, data }) => event === 'message.delta' && data.offset + data.text.length === 13);
  expect(await stop(id)).toMatchObject({ status: 200, body: { stopped: true } });
  await model.abandoned;
  const { events, complete } = await sent.ended();
  expect(complete).toBe(true);
  expect(durable(events).slice(1)).toEqual([
    {
      id: 2,
      event: 'message.completed',
      data: {
        message: expect.objectContaining({
          id: events[1]?.data.message_id,
          role: 'assistant',
          content: 'The answer is',
          interrupted: true,
        }),
      },
    },
    { id: 3, event: 'turn.interrupted', data: { turn_id: turnId, by: 'api' } },
  ]);
  const { body } = await service.call(`GET /api/v1/conversations/${id}`);
  expect(body).toMatchObject({ status: 'idle', message_count: 2 });
  expect(body.messages[1]).toEqual(durable(events)[1]?.data.message);

  const next = await chat.send({ ...user, message: 'Continue.' });
  const again = await played.next();
  expect(askedBy(again).map(({ content }) => content)).toEqual([
    'Be kind.',
    'hello',
    'The answer is',
    'Continue.',
  ]);
  again.finish();
  expect((await next.ended()).events.at(-1)).toMatchObject({ id: 6, event: 'turn.completed' });
});

it('before the first token there is nothing to keep', async () => {
  const { sent, model, id } = await begin();
  expect((await stop(id)).body).toEqual({ stopped: true });
  await model.abandoned;
  expect(namesOf((await sent.ended()).events)).toEqual(['turn.started', 'turn.interrupted']);
  const { body } = await service.call(`GET /api/v1/conversations/${id}`);
  expect([body.status, body.message_count]).toEqual(['idle', 1]);
});

it('counts the usage of an interrupted reply', async () => {
  const { sent, model, id } = await begin();
  model.write('word '.repeat(100));
  await sent.until('message.delta');
  await stop(id);
  const { body } = await service.call(`GET /api/v1/chat/stats?conversation_id=${id}`);
  expect(body.output_tokens).toBeGreaterThan(50);
  expect(body.input_tokens).toBeGreaterThan(0);
  expect(Number(body.cost_usd)).toBeGreaterThan(0);
});

it('stops nothing when nothing runs, even if repeated', async () => {
  const { sent, model, id } = await begin();
  model.finish();
  await sent.ended();
  expect(await stop(id)).toMatchObject({ status: 200, body: { stopped: false } });
  const running = await begin();
  const answers = await Promise.all([stop(running.id), stop(running.id), stop(running.id)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(namesOf((await running.sent.ended()).events)).toEqual(['turn.started', 'turn.interrupted']);
  expect((await stop(running.id)).body).toEqual({ stopped: false });
});

it('stops at any moment of a turn, and each turn ends exactly once', async () => {
  // The provider finishes at the same time, so that either may win.
  played.autoplay((model) => {
    model.write('x');
    model.finish();
  });
  for (let round = 0; round < 25; round += 1) {
    const sent = await chat.send({ bot_id: botId });
    const { data } = await sent.until('turn.started');
    const { body } = await stop(data.conversation_id);
    const { events } = await sent.ended();
    const ends = namesOf(events).filter((name) => name === 'turn.completed' || name === 'turn.interrupted');
    expect(ends).toEqual([body.stopped ? 'turn.interrupted' : 'turn.completed']);
    const { body: conversation } = await service.call(`GET /api/v1/conversations/${data.conversation_id}`);
    expect(conversation.status).toBe('idle');
  }
  played.autoplay();
});

it('an unknown conversation, or another workspace’s, is 404; an invalid body is 400', async () => {
  const { sent, model, id } = await begin();
  const { key } = await service.makeWorkspace();
  expect([(await stop(randomUUID())).status, (await stop(id, key)).status]).toEqual([404, 404]);
  expect((await service.call('POST /api/v1/chat/stop', { body: {} })).status).toBe(400);
  const reader = await service.makeKey({ abilities: ['conversations:read'] });
  expect((await stop(id, reader)).status).toBe(403);
  model.finish();
  expect((await sent.ended()).events.at(-1)?.event).toBe('turn.completed');
});
