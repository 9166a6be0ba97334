import type { WidgetKey } from '@svc/contract/widgets';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import {
  type HandPlayedModel,
  type PlayedReply,
  startHandPlayedModel,
} from '../support/hand-played-model.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createWidget, createWidgetKey, openPage, type Page } from './use-widget.ts';

const answer = (reply: PlayedReply) => {
  reply.write('It is on its way.');
  reply.finish();
};

let model: HandPlayedModel;
let service: TestApp;
let key: WidgetKey;
let page: Page;
const chat = chatWith(() => service);
beforeAll(async () => {
  model = await startHandPlayedModel();
  model.autoplay(answer);
  service = await startTestApp({ environment: scriptedEnvironment(model) });
  key = await createWidget(service, { bot: { chat_greeting: 'Hello!' } });
  page = openPage(service, key.api_key);
});
afterAll(async () => {
  await service.stop();
  await model.close();
});

/** Every request of a visitor about one conversation. */
const requests = (conversationId: string) => [
  { operation: 'GET /api/widget/conversations' },
  { operation: `GET /api/widget/conversations/${conversationId}` },
  { operation: `GET /api/widget/stream?conversation_id=${conversationId}` },
  { operation: 'POST /api/widget/messages', body: { message: 'Hi', conversation_id: conversationId } },
  { operation: 'POST /api/widget/stop', body: { conversation_id: conversationId } },
];

it('lets a visitor write, read what was written, and follow it', async () => {
  const { token, visitor_id: visitorId } = await page.issueToken();
  expect(visitorId).toMatch(/^visitor_[0-9a-f-]{36}$/);
  const sent = await page.open('/api/widget/messages', { token, body: { message: 'Where is my parcel?' } });
  expect(sent.headers['access-control-allow-origin']).toBe('https://shop.example.com');
  const { events } = await sent.ended();
  expect(events.map(({ event }) => event)).toEqual([
    'message.completed',
    'turn.started',
    'message.delta',
    'message.completed',
    'turn.completed',
  ]);
  const id: string = events[1]?.data.conversation_id;
  expect(await service.call(`GET /api/v1/conversations/${id}`)).toMatchObject({
    body: { channel: 'widget', external_user_id: visitorId, bot_id: key.bot_id },
  });

  const [listed, read] = [
    await page.call('GET /api/widget/conversations', { token }),
    await page.call(`GET /api/widget/conversations/${id}`, { token }),
  ];
  expect(listed.body).toMatchObject([
    { id, title: 'Where is my parcel?', status: 'idle', needs_human: false },
  ]);
  expect(
    read.body.messages.map(({ role, content }: { role: string; content: string }) => [role, content]),
  ).toEqual([
    ['assistant', 'Hello!'],
    ['user', 'Where is my parcel?'],
    ['assistant', 'It is on its way.'],
  ]);
  const path = `/api/widget/stream?conversation_id=${id}&after=${read.body.last_event_id}`;
  const stream = await page.open(path, { token });
  expect(await page.say(token, { conversation_id: id })).toBe(id);
  expect((await stream.until('turn.started')).id).toBe(read.body.last_event_id + 1);
  stream.close();
});

it('opens a conversation with the welcome message that the widget shows', async () => {
  const { bot_id: botId, api_key: apiKey } = await createWidget(service, {
    bot: { chat_greeting: 'Hello!' },
  });
  const welcomed = openPage(service, apiKey);
  for (const [welcome, contents] of [
    ['Welcome!', ['Welcome!', 'Hi', 'It is on its way.']],
    ['', ['Hi', 'It is on its way.']],
  ] as const) {
    const body = { bot_id: botId, welcome_message: welcome };
    await service.call('PUT /api/v1/widgets/customization', { body });
    const { token } = await welcomed.issueToken();
    const id = await welcomed.say(token, { message: 'Hi' });
    const read = await welcomed.call(`GET /api/widget/conversations/${id}`, { token });
    expect(read.body.messages.map(({ content }: { content: string }) => content)).toEqual(contents);
  }
});

it('opens a conversation with the welcome message of the look', async () => {
  const welcomed = await createWidget(service, { bot: { chat_greeting: 'Hello!' } });
  const body = { bot_id: welcomed.bot_id, welcome_message: 'Welcome to the **shop**.' };
  expect(await service.call('PUT /api/v1/widgets/customization', { body })).toMatchObject({ status: 200 });
  const own = openPage(service, welcomed.api_key);
  const { token } = await own.issueToken();
  const id = await own.say(token);
  const { body: read } = await own.call(`GET /api/widget/conversations/${id}`, { token });
  expect(read.messages[0]).toMatchObject({ role: 'assistant', content: 'Welcome to the **shop**.' });
});

it('shows nothing of other visitors, bots and channels', async () => {
  const { token, visitor_id: visitorId } = await page.issueToken();
  const other = await page.issueToken();
  const byApi = await chat.say({ bot_id: key.bot_id, external_user_id: visitorId });
  const conversations = [await page.say(other.token), byApi.conversationId];
  for (const id of conversations) {
    for (const { operation, body } of requests(id).slice(1)) {
      expect(await page.call(operation, { token, body })).toMatchObject({ status: 404 });
    }
  }
  expect(await page.call('GET /api/widget/conversations', { token })).toMatchObject({ body: [] });
});

it('accepts a token only with the key that issued it, and only here', async () => {
  const { token } = await page.issueToken();
  const id = await page.say(token);
  const sameBot = await createWidgetKey(service, key.bot_id);
  const otherBot = await createWidget(service);
  for (const { api_key: apiKey } of [sameBot, otherBot]) {
    for (const { operation, body } of requests(id)) {
      const refused = await openPage(service, apiKey).call(operation, { token, body });
      expect(refused).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    }
  }
  for (const path of ['bots', 'conversations', `conversations/${id}`, `chat/events?conversation_id=${id}`]) {
    expect(await service.call(`GET /api/v1/${path}`, { key: token })).toMatchObject({ status: 401 });
  }
  for (const { operation, body } of requests(id)) {
    for (const wrong of [service.key, undefined, `${token.slice(0, -4)}AAAA`]) {
      const refused = await page.call(operation, { body, ...(wrong !== undefined && { token: wrong }) });
      expect(refused).toMatchObject({ status: 401 });
    }
  }
});

it('refuses pages that may not use the key, without letting them read why', async () => {
  const { token } = await page.issueToken();
  const id = await page.say(token);
  for (const origin of ['https://evil.example', 'null', 'https://shop.example.com.evil.example', null]) {
    const elsewhere = openPage(service, key.api_key, origin);
    for (const { operation, body } of [...requests(id), { operation: 'POST /api/widget/token', body: {} }]) {
      const refused = await elsewhere.call(operation, { token, body });
      expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
      expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    }
  }
});

it('stops a reply', async () => {
  model.autoplay();
  const { token } = await page.issueToken();
  const sent = await page.open('/api/widget/messages', { token, body: { message: 'Hi' } });
  const reply = await model.next();
  reply.write('It is');
  const { data } = await sent.until('turn.started');
  await sent.until('message.delta');
  const body = { conversation_id: data.conversation_id };
  expect(await page.call('POST /api/widget/stop', { token, body })).toMatchObject({
    body: { stopped: true },
  });
  const { events } = await sent.ended();
  expect(events.at(-1)).toMatchObject({ event: 'turn.interrupted', data: { turn_id: data.turn_id } });
  model.autoplay(answer);
});

it('is suspended while its bot is inactive', async () => {
  const suspended = await createWidget(service);
  const own = openPage(service, suspended.api_key);
  const { token } = await own.issueToken();
  const id = await own.say(token);
  const setStatus = async (status: string) => {
    const changed = await service.call(`PUT /api/v1/bots/${suspended.bot_id}`, { body: { status } });
    expect(changed.status).toBe(200);
  };
  await setStatus('inactive');
  await eventually(async () => (await own.call('GET /api/widget/conversations', { token })).status).toBe(409);
  for (const { operation, body } of [...requests(id), { operation: 'POST /api/widget/token', body: {} }]) {
    const refused = await own.call(operation, { token, body });
    expect(refused).toMatchObject({ status: 409, body: { code: 'BOT_INACTIVE' } });
    expect(refused.headers.get('access-control-allow-origin')).toBe('https://shop.example.com');
  }
  await setStatus('active');
  await eventually(async () => (await own.call('GET /api/widget/conversations', { token })).status).toBe(200);
  expect(await own.say(token)).toBe(id);
});
