import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EndUserConversationDetail } from '@svc/contract/end-users';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { scriptedEnvironment } from '../../../server/test/support/chat.ts';
import { createRandom } from '../../../server/test/support/faults/random.ts';
import { startTcpProxy, type TcpProxy } from '../../../server/test/support/faults/tcp-proxy.ts';
import {
  type HandPlayedModel,
  type PlayedReply,
  startHandPlayedModel,
} from '../../../server/test/support/hand-played-model.ts';
import { startTestApp, type TestApp } from '../../../server/test/support/test-app.ts';
import { createWidget, shop } from '../../../server/test/widgets/use-widget.ts';
import { type ChatTab, createTestStorage, openChatTab, shown, type TestStorage } from './chat-page.ts';

let model: HandPlayedModel;
let service: TestApp;
let proxy: TcpProxy;
let key: string;
let storage: TestStorage;
let tabs: ChatTab[];

beforeAll(async () => {
  model = await startHandPlayedModel();
  service = await startTestApp({ environment: scriptedEnvironment(model) });
  proxy = await startTcpProxy(() => connect(Number(new URL(service.url).port), '127.0.0.1'));
  const bot = { chat_greeting: 'Welcome!' };
  key = (await createWidget(service, { bot, key: { visitor_messages_per_hour: 10_000 } })).api_key;
});
afterAll(async () => {
  await proxy.close();
  await service.stop();
  await model.close();
});
beforeEach(() => {
  storage = createTestStorage();
  tabs = [];
});
afterEach(() => {
  for (const { store } of tabs) store.close();
  model.autoplay();
  proxy.set('open');
});

/** As a browser does on a page of the shop. */
const fromShop: typeof fetch = (input, init) =>
  fetch(input, { ...init, headers: [...new Headers(init?.headers), ['origin', shop]] });

function openTab(pace = 0.05): ChatTab {
  const tab = openChatTab({
    service: `http://127.0.0.1:${proxy.port}`,
    key,
    storage,
    fetch: fromShop,
    pace,
  });
  tabs.push(tab);
  return tab;
}

const until = (check: () => unknown) => expect.poll(check);

async function readConversation(): Promise<EndUserConversationDetail> {
  const { token, conversationId } = JSON.parse(storage.items.get(`svc:${key}`) ?? '{}');
  const path = `${service.url}/api/widget/conversations/${conversationId}?key=${key}`;
  const response = await fromShop(path, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  return (await response.json()) as EndUserConversationDetail;
}

it('talks with the service: first message, streaming, history, stop, hand-off', async () => {
  const { store } = openTab(1);
  store.setOpen(true);
  store.send('Hello');
  const reply = await model.next();
  await until(() => shown(store)).toEqual(['bot: Welcome!', 'visitor: Hello']);
  expect(store.get()).toMatchObject({ phase: 'ready', trouble: null });
  reply.write('How ', 'can ');
  await until(() => shown(store).at(-1)).toBe('bot: How can  (streaming)');
  reply.write('I help?');
  reply.finish();
  const first = ['bot: Welcome!', 'visitor: Hello', 'bot: How can I help?'];
  await until(() => shown(store)).toEqual(first);
  await until(() => store.get().activity).toBe('none');

  const reloaded = openTab();
  reloaded.store.setOpen(true);
  await until(() => shown(reloaded.store)).toEqual(first);

  reloaded.store.send('Tell me a story');
  const story = await model.next();
  story.write('Once upon');
  await until(() => shown(store).at(-1)).toBe('bot: Once upon (streaming)');
  store.stop();
  await until(() => shown(reloaded.store).at(-1)).toBe('bot: Once upon (interrupted)');
  await until(() => reloaded.store.get().activity).toBe('none');

  const { id } = await readConversation();
  await service.call(`POST /api/v1/conversations/${id}/messages`, { body: { content: 'I am Ada.' } });
  await until(() => shown(store).at(-1)).toBe('person: I am Ada.');
});

it('reports a failed answer and asks again', async () => {
  const { store } = openTab();
  store.setOpen(true);
  model.autoplay((reply) => reply.cut());
  store.send('Hello');
  await until(() => store.get().trouble).toEqual({ kind: 'failed' });
  model.autoplay((reply) => {
    reply.write('Now it works.');
    reply.finish();
  });
  store.retry();
  await until(() => shown(store)).toEqual(['bot: Welcome!', 'visitor: Hello', 'bot: Now it works.']);
});

const seed = Date.now() % 1_000_000;

it(`loses and doubles nothing while connections break, with seed ${seed}`, async () => {
  const random = createRandom(seed);
  const pause = () => sleep(random.below(60));
  const play = async (reply: PlayedReply) => {
    for (const word of ['One ', 'two ', 'three ', 'four.']) {
      reply.write(word);
      await pause();
    }
    reply.finish();
  };
  model.autoplay((reply) => void play(reply));
  let left = openTab();
  const right = openTab();
  const written: string[] = [];
  const write = (tab: ChatTab) => {
    const text = `Message ${written.length}`;
    written.push(text);
    tab.store.send(text);
  };
  left.store.setOpen(true);
  right.store.setOpen(true);
  write(left);
  await until(() => shown(right.store).length).toBeGreaterThan(1);

  const actions = [
    () => write(left),
    () => write(right),
    () => proxy.breakAll(),
    () => proxy.breakAll(),
    () => proxy.set('cut'),
    () => proxy.set('slow'),
    () => proxy.set('open'),
    () => right.page.set({ isVisible: random.below(2) === 0 }),
    () => right.page.set({ isOnline: random.below(2) === 0 }),
    () => left.store.setOpen(random.below(2) === 0),
    () => left.store.stop(),
    () => {
      left.store.close();
      left = openTab();
      left.store.setOpen(true);
    },
  ];
  for (let step = 0; step < 80; step += 1) {
    actions[random.below(actions.length)]?.();
    await pause();
  }
  proxy.set('open');
  right.page.set({ isVisible: true, isOnline: true });
  left.store.setOpen(true);

  const isQuiet = ({ store }: ChatTab) =>
    store.get().activity === 'none' &&
    store.get().messages.every(({ state }) => state === 'done' || state === 'interrupted');
  await until(() => isQuiet(left) && isQuiet(right) && shown(left.store).length >= written.length).toBe(true);
  const { messages } = await readConversation();
  const stored = messages.map(
    ({ role, content, interrupted }) =>
      `${role === 'user' ? 'visitor' : 'bot'}: ${content}${interrupted ? ' (interrupted)' : ''}`,
  );
  const own = stored.filter((line) => line.startsWith('visitor'));
  expect(own.toSorted()).toEqual(written.map((text) => `visitor: ${text}`).toSorted());
  await until(() => shown(left.store)).toEqual(stored);
  await until(() => shown(right.store)).toEqual(stored);
});
