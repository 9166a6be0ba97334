import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { noUsage, text, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, durable, idsOf, scriptedEnvironment } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({
    environment: {
      ...scriptedEnvironment(scripted),
      SVC_MODEL_PRICES: JSON.stringify({
        'openai/gpt-4o': { input: 2, cached_input: 0.5, output: 10 },
        'openai/cheap': { input: 1, output: 1 },
      }),
    },
  });
});
beforeEach(() => scripted.reset());
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

const stats = async (id: string) => (await service.call(`GET /api/v1/chat/stats?conversation_id=${id}`)).body;

it('adds up what every turn used and cost, by model', async () => {
  const bot = await chat.bot();
  const user = { bot_id: bot, external_user_id: randomUUID() };
  scripted.enqueue([text('One.'), usage(1_000, 100, 400)], [text('Two.'), usage(3_000, 1, 0)]);
  const first = await chat.say(user);
  // 600 × 2 + 400 × 0.5 + 100 × 10, in millionths of a dollar
  expect(first.last.data).toMatchObject({
    usage: { input_tokens: 1_000, cached_input_tokens: 400, output_tokens: 100 },
    cost_usd: '0.0024',
  });
  await chat.say(user);
  await service.call(`PATCH /api/v1/bots/${bot}/model`, { body: { model: 'openai/cheap' } });
  scripted.enqueue([text('Three.'), usage(7, 3, 7)]);
  await chat.say(user);
  expect(await stats(first.conversationId)).toEqual({
    conversation_id: first.conversationId,
    turns: 3,
    messages: 6,
    tool_calls: 0,
    input_tokens: 4_007,
    cached_input_tokens: 407,
    output_tokens: 104,
    total_tokens: 4_111,
    cost_usd: '0.00842',
    unpriced_models: [],
    by_model: [
      { model: 'openai/cheap', input_tokens: 7, output_tokens: 3, cost_usd: '0.00001' },
      { model: 'openai/gpt-4o', input_tokens: 4_000, output_tokens: 101, cost_usd: '0.00841' },
    ],
  });
});

it('says which model has no known price, and what the others cost', async () => {
  const bot = await chat.bot({ model: 'openai/unheard-of' });
  const user = { bot_id: bot, external_user_id: randomUUID() };
  scripted.enqueue([text('One.'), usage(1_000, 100)], [text('Two.'), usage(7, 3)]);
  const first = await chat.say(user);
  expect(first.last.data).toMatchObject({ cost_usd: null, unpriced_models: ['openai/unheard-of'] });
  expect(await stats(first.conversationId)).toMatchObject({
    cost_usd: null,
    by_model: [{ model: 'openai/unheard-of', cost_usd: null }],
  });
  await service.call(`PATCH /api/v1/bots/${bot}/model`, { body: { model: 'openai/cheap' } });
  const second = await chat.say(user);
  expect(second.last.data).toMatchObject({ cost_usd: '0.00001' });
  expect(second.last.data).not.toHaveProperty('unpriced_models');
  expect(await stats(first.conversationId)).toMatchObject({
    cost_usd: '0.00001',
    unpriced_models: ['openai/unheard-of'],
  });
});

it('estimates the usage when the provider reports none', async () => {
  scripted.enqueue([text('word '.repeat(40)), noUsage]);
  const { conversationId } = await chat.say({ bot_id: await chat.bot(), message: 'x'.repeat(400) });
  const { input_tokens: input, output_tokens: output } = await stats(conversationId);
  expect(input).toBeGreaterThan(90);
  expect(output).toBeGreaterThan(40);
});

it('is of one conversation only, and of the caller’s workspace', async () => {
  scripted.respondWith([text('Yes.'), usage(10, 1)]);
  const bot = await chat.bot();
  const [one, two] = [await chat.say({ bot_id: bot }), await chat.say({ bot_id: bot })];
  expect((await stats(one.conversationId)).input_tokens).toBe(10);
  const { key } = await service.makeWorkspace();
  for (const path of ['stats', 'events']) {
    const url = `GET /api/v1/chat/${path}?conversation_id=`;
    expect((await service.call(`${url}${two.conversationId}`, { key })).status).toBe(404);
    expect((await service.call(`${url}${randomUUID()}`)).status).toBe(404);
    expect((await service.call(`GET /api/v1/chat/${path}`)).status).toBe(400);
  }
});

it('chat/events lists the log as the stream sent it', async () => {
  scripted.respondWith([text('Yes, indeed.')]);
  const user = { bot_id: await chat.bot(), external_user_id: randomUUID() };
  const [first, second] = [await chat.say(user), await chat.say(user)];
  const log = await chat.log(first.conversationId);
  expect(log).toEqual(
    durable([...first.events, ...second.events]).map((event) => ({
      ...event,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })),
  );
  expect(idsOf(await chat.log(first.conversationId, 4))).toEqual([5, 6]);
  expect(await chat.log(first.conversationId, 6)).toEqual([]);
});

it('chat/events takes any number for `after`, and refuses anything else', async () => {
  scripted.respondWith([text('Yes.')]);
  const { conversationId } = await chat.say({ bot_id: await chat.bot() });
  const status = async (after: string) =>
    (await service.call(`GET /api/v1/chat/events?conversation_id=${conversationId}&after=${after}`)).status;
  expect(await status('999999')).toBe(200);
  for (const after of ['x', '-1', '1.5', '']) expect([after, await status(after)]).toEqual([after, 400]);
  // A number beyond the database's range is the client's mistake, never a 500.
  for (const after of ['99999999999999999999', '1e300']) {
    expect([after, (await status(after)) < 500]).toEqual([after, true]);
  }
});
