import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { raw, text, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import {
  askedBy,
  chatWith,
  durable,
  idsOf,
  namesOf,
  previewOf,
  scriptedEnvironment,
  upTo,
} from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { transactionsNaming } from './watch-transactions.ts';

let scripted: ScriptedModel;
let service: TestApp;
let botId: string;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
  botId = await chat.bot();
});
beforeEach(() => scripted.reset());
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const plain = {
  tool_calls: [],
  tool_call_id: null,
  citations: [],
  interrupted: false,
  author_name: null,
  rating: null,
  created_at: timestamp,
};

it('sends exactly these events in this order', async () => {
  scripted.enqueue([text('Hello there!'), usage(100, 20, 40)]);
  const reader = await chat.send({ bot_id: botId, message: 'Hi', external_user_id: 'ann' });
  expect(reader).toMatchObject({
    status: 200,
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': expect.any(String),
    },
  });
  const { events, complete } = await reader.ended();
  expect(complete).toBe(true);
  const deltas = events.filter(({ event }) => event === 'message.delta');
  expect(deltas.length).toBeGreaterThan(0);
  const turnId = events[0]?.data.turn_id;
  const messageId = deltas[0]?.data.message_id;
  expect(events).toEqual([
    {
      id: 1,
      event: 'turn.started',
      data: {
        turn_id: uuid,
        conversation_id: uuid,
        bot_id: botId,
        user_message: { id: uuid, role: 'user', content: 'Hi', ...plain },
      },
    },
    ...deltas.map(() => ({
      event: 'message.delta',
      data: { message_id: messageId, offset: expect.any(Number), text: expect.any(String) },
    })),
    {
      id: 2,
      event: 'message.completed',
      data: { message: { id: messageId, role: 'assistant', content: 'Hello there!', ...plain } },
    },
    {
      id: 3,
      event: 'turn.completed',
      data: {
        turn_id: turnId,
        message_id: messageId,
        usage: { input_tokens: 100, cached_input_tokens: 40, output_tokens: 20 },
        cost_usd: expect.stringMatching(/^\d+\.\d+$/),
        handed_off: false,
      },
    },
  ]);
  expect(previewOf(events).get(messageId)).toBe('Hello there!');
});

describe('a first message is two transactions', () => {
  const workspace = async () => (await service.call(`GET /api/v1/bots/${botId}`)).body.tenant_id;
  it.each([
    ['of a user who never wrote before', {}],
    ['of a user who never wrote before, with metadata', { metadata: { order: '17' } }],
    ['of a known user in a new conversation', { external_user_id: 'known', new_conversation: true }],
  ])('%s', async (_what, fields) => {
    scripted.respondWith([text('Yes.')]);
    // From here on the bot and the key are cached.
    await chat.say({ bot_id: botId, external_user_id: 'known' });
    const workspaceId = await workspace();
    const transactions = await transactionsNaming(async () => {
      const message = { bot_id: botId, external_user_id: randomUUID(), ...fields };
      const { conversationId, turnId } = await chat.say(message);
      return [workspaceId, botId, conversationId, turnId, message.external_user_id];
    });
    expect(transactions).toEqual([
      [expect.stringContaining('insert into conversations')],
      [expect.anything()],
    ]);
  });
});

it('numbers the events of many turns 1 to n, without gaps', async () => {
  scripted.respondWith([text('Yes.')]);
  const ids: number[] = [];
  for (let turn = 0; turn < 8; turn += 1) {
    const said = await chat.say({ bot_id: botId, external_user_id: 'counter', message: `Number ${turn}` });
    ids.push(...idsOf(said.events));
    if (turn === 7) expect(idsOf(await chat.log(said.conversationId))).toEqual(upTo(24));
  }
  expect(ids).toEqual(upTo(24));
});

it('never splits a character, however the provider cuts it', async () => {
  const words = '👩‍👩‍👧‍👦 naïve 🇩🇪 𝒳 🙂🙂 end';
  scripted.enqueue({ steps: [text(words)], chunkBytes: 1 });
  const { events, messageId, text: whole } = await chat.say({ bot_id: botId });
  expect(whole).toBe(words);
  expect(previewOf(events).get(messageId ?? '')).toBe(words);
});

it('joins the two halves of a character that arrive in separate frames', async () => {
  const frame = (content: string) =>
    raw(`data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`);
  scripted.enqueue({
    steps: [
      text('a'),
      frame('\\ud83d'),
      frame('\\ude42'),
      frame('b\\ud83d'),
      frame('\\ude00c'),
      frame('\\ud83d'),
    ],
    chunkBytes: 40,
  });
  const { events, messageId, text: whole } = await chat.say({ bot_id: botId });
  // Half a character at the very end becomes a replacement character.
  expect(whole).toBe('a🙂b😀c\uFFFD');
  expect(previewOf(events).get(messageId ?? '')).toBe(whole);
});

it('keeps text that a model may write but PostgreSQL cannot store', async () => {
  scripted.enqueue([raw('data: {"choices":[{"index":0,"delta":{"content":"a\\u0000b\\udc00c"}}]}\n\n')]);
  const { text: whole, last } = await chat.say({ bot_id: botId });
  expect([last.event, whole]).toEqual(['turn.completed', 'ab\uFFFDc']);
});

it('gives the model the instructions and the earlier turns', async () => {
  scripted.respondWith([text('Noted.')]);
  const said = await chat.say({ bot_id: botId, external_user_id: 'memory', message: 'I am Ann.' });
  await chat.say({ bot_id: botId, external_user_id: 'memory', message: 'Who am I?' });
  expect(askedBy(scripted.requests[1])).toEqual([
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'I am Ann.' },
    { role: 'assistant', content: 'Noted.' },
    { role: 'user', content: 'Who am I?' },
  ]);
  const { body } = await service.call(`GET /api/v1/conversations/${said.conversationId}`);
  expect(body.messages.map((message: { content: string }) => message.content)).toEqual([
    'I am Ann.',
    'Noted.',
    'Who am I?',
    'Noted.',
  ]);
});

it('continues after an empty reply', async () => {
  scripted.enqueue([raw('')], [text('Better.')]);
  const quiet = await chat.say({ bot_id: botId, external_user_id: 'quiet', message: 'one' });
  expect(namesOf(quiet.events)).toEqual(['turn.started', 'message.completed', 'turn.completed']);
  expect(quiet.text).toBe('');
  const next = await chat.say({ bot_id: botId, external_user_id: 'quiet', message: 'two' });
  expect(next.text).toBe('Better.');
  // Providers refuse a message without content.
  expect(askedBy(scripted.requests[1]).filter(({ content }) => !content)).toEqual([]);
});

it('chats with an agent, and without any configured provider', async () => {
  scripted.respondWith([text('At your service.')]);
  const agent = await chat.bot({ bot_type: 'agent', agent_goal: 'Help.' });
  expect((await chat.say({ bot_id: agent })).text).toBe('At your service.');
  const builtin = await chat.bot({ model: 'builtin/extractive' });
  const { last, events } = await chat.say({ bot_id: builtin });
  expect(last.event).toBe('turn.completed');
  expect(durable(events)).toHaveLength(3);
});
