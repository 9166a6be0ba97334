import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createConversationService } from '../../src/conversations/conversations.service.ts';
import { type Script, status, text, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, type ScriptedRequest, startScriptedModel } from '../scripted-model/server.ts';
import {
  askedBy,
  canaryKey,
  chatWith,
  durable,
  eventually,
  scriptedEnvironment,
  upTo,
} from '../support/chat.ts';
import { isSummary } from '../support/hand-played-model.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({
    environment: {
      ...scriptedEnvironment(scripted),
      SVC_MODEL_PRICES: '{"openai/gpt-4":{"input":1,"output":1}}',
    },
  });
});
beforeEach(() => scripted.reset());
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

/** A window of 8,192 tokens, half of which is for the history. */
const smallModel = 'openai/gpt-4';
const windowBytes = 8_192 * 4;
const filler = 'Lorem ipsum dolor sit amet. '.repeat(36);

const sizeOf = ({ body }: { body: object }) => Buffer.byteLength(JSON.stringify(body));
const largest = (requests: ScriptedRequest[]) => Math.max(...requests.map(sizeOf));

/** The request that ends with this message. A summary of another test may still be requested meanwhile. */
const requestAfter = (message: string) =>
  scripted.requests.find((request) => askedBy(request).at(-1)?.content === message);

/** Answers requests for a summary with one script, and all others with another. */
function answer(summary: Script | (() => Script)): void {
  const reply = [text(`A reply. ${filler}`), usage(100, 50)];
  const notes = typeof summary === 'function' ? summary : () => summary;
  scripted.respondWith(({ body }) => (isSummary(body) ? notes() : reply));
}

/** A conversation whose every message names it, to distinguish its requests from others. */
async function begin() {
  const name = randomUUID();
  const user = { bot_id: await chat.bot({ model: smallModel }), external_user_id: name };
  let turns = 0;
  const requests = (wanted: boolean) =>
    scripted.requests.filter(({ body }) => isSummary(body) === wanted && JSON.stringify(body).includes(name));
  const say = async (message: string) => {
    const said = await chat.say({ ...user, message: `${name} ${message}` });
    expect(said.last.event).toBe('turn.completed');
    return said.conversationId;
  };
  return {
    say,
    async talk(count: number): Promise<string> {
      let id = '';
      for (let left = count; left > 0; left -= 1) id = await say(`Message ${(turns += 1)}. ${filler}`);
      return id;
    },
    summaries: () => requests(true),
    replies: () => requests(false),
    /** The instructions that the model gets. A summary may still be pending, so every check is a turn of its own. */
    lookAtSystem: async () => {
      await say('And now?');
      return askedBy(requests(false).at(-1))[0]?.content;
    },
  };
}

it('a long conversation is summarised by its own model, and continues from the summary', async () => {
  answer([text('The user is Ann and likes figs.'), usage(1_000, 30)]);
  const { talk, say, summaries, replies } = await begin();
  const id = await talk(8);
  await eventually(() => summaries().length).toBe(1);
  const [asked] = summaries();
  expect(asked?.body).toMatchObject({ model: 'gpt-4' });
  const folded = askedBy(asked).at(-1)?.content ?? '';
  expect(folded).toMatch(/user: \S+ Message 1\./);
  expect(folded).toContain('assistant: A reply.');

  const stats = async () => (await service.call(`GET /api/v1/chat/stats?conversation_id=${id}`)).body;
  await eventually(async () => (await stats()).input_tokens).toBe(8 * 100 + 1_000);
  expect(await stats()).toMatchObject({ output_tokens: 8 * 50 + 30, cost_usd: '0.00223', turns: 8 });

  await say('What do I like?');
  const [system, ...latest] = askedBy(replies().at(-1));
  expect(system?.content).toBe(
    'Be kind.\n\nWhat was said before, in short:\nThe user is Ann and likes figs.',
  );
  expect(latest[0]?.role).toBe('user');
  // Everything is either in the summary or among the latest turns, and nothing in both.
  const kept = JSON.stringify(latest);
  const places = upTo(8).map((turn) => [folded, kept].map((place) => place.includes(`Message ${turn}.`)));
  expect(places.filter(([isFolded, isKept]) => isFolded === isKept)).toEqual([]);
  expect([places[0], places[7]]).toEqual([
    [true, false],
    [false, true],
  ]);
  const { body } = await service.call(`GET /api/v1/conversations/${id}`);
  expect(body.messages).toHaveLength(18);
  expect(body.messages[0].content).toContain('Message 1.');
});

it('a later summary includes the earlier one', async () => {
  let count = 0;
  answer(() => [text(`Notes number ${(count += 1)}.`)]);
  const { talk, summaries, lookAtSystem } = await begin();
  await talk(20);
  const later = summaries()
    .map((request) => askedBy(request).at(-1)?.content ?? '')
    .filter((content) => content.startsWith('Earlier notes:\nNotes number'));
  expect(later.length).toBeGreaterThan(0);
  for (const content of later) expect(content).not.toContain('Message 1.');
  const hasTheLatest = async () => {
    const latest = count;
    return (await lookAtSystem())?.includes(`in short:\nNotes number ${latest}.`);
  };
  await eventually(hasTheLatest).toBe(true);
});

it('requests stay bounded over 60 turns', async () => {
  answer([text('Notes.')]);
  const { talk, summaries, replies } = await begin();
  await talk(60);
  expect(replies()).toHaveLength(60);
  expect(largest(replies())).toBeLessThan(windowBytes * 0.6);
  expect(largest(summaries())).toBeLessThan(windowBytes);
  expect(summaries().length).toBeLessThan(30);
});

it('a summary that fails does no harm, and is made later', async () => {
  const failure = { error: { message: `the-words-of-the-provider ${canaryKey}` } };
  let isBroken = true;
  answer(() => (isBroken ? [status(400, {}, failure)] : [text('Notes at last.')]));
  const { talk, summaries, replies, lookAtSystem } = await begin();
  await talk(30);
  expect(largest(replies())).toBeLessThan(windowBytes * 0.6);
  expect(summaries().length).toBeGreaterThan(5);
  isBroken = false;
  await eventually(lookAtSystem).toContain('Notes at last.');
  // By now there is more text than fits into one request.
  expect(largest(summaries())).toBeLessThan(windowBytes);
  for (const secret of [canaryKey, 'the-words-of-the-provider']) {
    expect(service.logged.some((line) => line.includes(secret))).toBe(false);
  }
});

it('a single turn that is longer than the window is summarised anyway', async () => {
  answer([text('Long words.')]);
  const { say, summaries, lookAtSystem } = await begin();
  await say('東'.repeat(31_000));
  await say('x '.repeat(10_000));
  await eventually(lookAtSystem).toContain('Long words.');
  expect(largest(summaries())).toBeLessThan(windowBytes);
});

describe('the greeting of a bot', () => {
  it('is the first message of a new chat, before the turn', async () => {
    scripted.respondWith([text('Sunny.')]);
    const greeter = await chat.bot({ chat_greeting: 'Hello, I am the weather bot.' });
    const message = { bot_id: greeter, external_user_id: randomUUID(), message: 'And today?' };
    const { events, conversationId, turnId } = await chat.say(message);
    expect(durable(events)).toMatchObject([
      {
        id: 1,
        event: 'message.completed',
        data: {
          message: {
            role: 'assistant',
            content: 'Hello, I am the weather bot.',
            interrupted: false,
            citations: [],
          },
        },
      },
      { id: 2, event: 'turn.started', data: { user_message: { content: 'And today?' } } },
      { id: 3, event: 'message.completed', data: { message: { content: 'Sunny.' } } },
      { id: 4, event: 'turn.completed' },
    ]);
    expect(await chat.log(conversationId)).toMatchObject(durable(events));
    const { body } = await service.call(`GET /api/v1/conversations/${conversationId}`);
    expect(body).toMatchObject({ title: 'And today?', message_count: 3 });
    const seen = body.messages.map(({ role, content }: { role: string; content: string }) => [role, content]);
    expect(seen).toEqual([
      ['assistant', 'Hello, I am the weather bot.'],
      ['user', 'And today?'],
      ['assistant', 'Sunny.'],
    ]);
    expect(body.messages[0]).toEqual(events[0]?.data.message);

    // Providers require a user message first, so the greeting is part of the instructions.
    expect(askedBy(requestAfter('And today?'))).toEqual([
      {
        role: 'system',
        content: 'Be kind.\n\nYou opened the conversation with: Hello, I am the weather bot.',
      },
      { role: 'user', content: 'And today?' },
    ]);
    await service.call(`PUT /api/v1/bots/${greeter}`, { body: { chat_greeting: 'Good evening.' } });
    await chat.say({ ...message, message: 'Tomorrow?' });
    expect(askedBy(requestAfter('Tomorrow?'))).toEqual([
      {
        role: 'system',
        content: 'Be kind.\n\nYou opened the conversation with: Hello, I am the weather bot.',
      },
      { role: 'user', content: 'And today?' },
      { role: 'assistant', content: 'Sunny.' },
      { role: 'user', content: 'Tomorrow?' },
    ]);
    // The greeting is not repeated in the same conversation.
    const log = await chat.log(conversationId);
    expect(log.map(({ id }) => id)).toEqual(upTo(7));
    expect(log[4]).toMatchObject({ event: 'turn.started' });
    expect(turnId).not.toBe(log[4]?.data.turn_id);
    // A node that takes the turn over knows that it began with the user's message, not with the greeting.
    const conversations = createConversationService({
      database: service.database,
      bots: {} as Parameters<typeof createConversationService>[0]['bots'],
      runs: { latestOf: async () => new Map(), truncate: async () => undefined },
      voiceCalls: {
        ofConversations: async () => new Map(),
        detailOf: async () => undefined,
        truncate: async () => undefined,
      },
    });
    const { messages } = await conversations.history(body.tenant_id, conversationId);
    expect(messages.map(({ role, continues }) => [role, continues])).toEqual([
      ['assistant', false],
      ['user', false],
      ['assistant', false],
      ['user', false],
      ['assistant', false],
    ]);
    const stats = await service.call(`GET /api/v1/chat/stats?conversation_id=${conversationId}`);
    expect(stats.body).toMatchObject({ turns: 2, messages: 5 });
  });

  it('stays when everything after it is removed, and the conversation continues from there', async () => {
    scripted.respondWith([text('Yes.')]);
    const greeter = await chat.bot({ chat_greeting: 'Welcome.' });
    const first = { bot_id: greeter, external_user_id: 'tim', message: 'My secret' };
    const { conversationId, events } = await chat.say(first);
    const read = async () => (await service.call(`GET /api/v1/conversations/${conversationId}`)).body;
    const body = { message_id: events[0]?.data.message.id };
    const cut = await service.call(`POST /api/v1/conversations/${conversationId}/truncate`, { body });
    expect(cut.body).toMatchObject({ removed_messages: 2 });
    // The removed text is really gone.
    expect(await read()).toMatchObject({ title: 'Welcome.', message_count: 1 });
    expect(JSON.stringify([await read(), await chat.log(conversationId)])).not.toContain('secret');
    scripted.reset();
    scripted.respondWith([text('Yes.')]);
    await chat.say({ bot_id: greeter, external_user_id: 'tim', message: 'Once more' });
    expect(askedBy(requestAfter('Once more'))).toEqual([
      { role: 'system', content: 'Be kind.\n\nYou opened the conversation with: Welcome.' },
      { role: 'user', content: 'Once more' },
    ]);
    expect(await read()).toMatchObject({ message_count: 3, messages: [{ content: 'Welcome.' }, {}, {}] });
    // A title that a user chose stays.
    const patched = { body: { title: 'Tim' } };
    await service.call(`PATCH /api/v1/conversations/${conversationId}`, patched);
    await service.call(`POST /api/v1/conversations/${conversationId}/truncate`, { body });
    expect(await read()).toMatchObject({ title: 'Tim', message_count: 1 });
  });

  it('is sent once when a new user sends several messages concurrently', async () => {
    scripted.respondWith([text('Yes.')]);
    const greeter = await chat.bot({ chat_greeting: 'Welcome.' });
    const user = { bot_id: greeter, external_user_id: randomUUID() };
    const readers = await Promise.all(Array.from({ length: 5 }, () => chat.send(user)));
    const accepted = readers.filter((reader) => reader.status === 200);
    await Promise.all(accepted.map((reader) => reader.ended()));
    const { body } = await service.call(
      `GET /api/v1/conversations?external_user_id=${user.external_user_id}`,
    );
    expect(body).toHaveLength(1);
    const { body: whole } = await service.call(`GET /api/v1/conversations/${body[0].id}`);
    const greetings = whole.messages.filter(({ content }: { content: string }) => content === 'Welcome.');
    expect(greetings).toHaveLength(1);
    expect(whole.message_count).toBe(1 + 2 * accepted.length);
  });
});
