import { beforeEach, expect, it } from 'vitest';
import { type ChatTab, shown } from './chat-page.ts';
import { until, useScriptedChat } from './use-scripted-chat.ts';

const chat = useScriptedChat();
beforeEach(() => {
  chat.service.control.onMessage = (conversation) => {
    conversation.needs_human = true;
    conversation.emit({ type: 'conversation.needs_human', data: { needs_human: true, taken_over: false } });
    conversation.complete('I will get somebody.');
  };
});

/** A visitor who waits for a person and has closed the panel. */
async function wait(pace?: number): Promise<ChatTab> {
  const tab = chat.openTab(pace ? { pace } : {});
  tab.store.setOpen(true);
  tab.store.send('A person, please');
  await until(() => tab.store.get().isHandedOff).toBe(true);
  await until(() => tab.store.get().activity).toBe('none');
  tab.store.setOpen(false);
  return tab;
}

const requests = (path: string) => chat.paths().filter((each) => each.startsWith(path)).length;

it('hears a person at once while the panel is closed', async () => {
  // Nothing is polled within the time of this test.
  const { store } = await wait(100);
  await until(() => chat.service.streamCount()).toBe(1);
  const before = requests('conversations');
  chat.service.only().say('operator', 'Hello, this is Ada.', 'Ada');
  await until(() => shown(store).at(-1)).toBe('Ada: Hello, this is Ada.');
  expect(store.get().unread).toBe(1);
  expect(requests('conversations')).toBe(before);
});

it('holds no stream in a hidden page, nor once the bot answers again', async () => {
  const { store, page } = await wait();
  page.set({ isVisible: false });
  await until(() => chat.service.streamCount()).toBe(0);
  page.set({ isVisible: true });
  await until(() => chat.service.streamCount()).toBe(1);
  chat.service.only().needs_human = false;
  chat.service
    .only()
    .emit({ type: 'conversation.needs_human', data: { needs_human: false, taken_over: false } });
  await until(() => store.get().isHandedOff).toBe(false);
  await until(() => chat.service.streamCount()).toBe(0);
});

it('holds a stream on the next page', async () => {
  const first = await wait();
  await until(() => chat.service.streamCount()).toBe(1);
  first.store.close();
  await until(() => chat.service.streamCount()).toBe(0);
  const { store } = chat.openTab();
  await until(() => chat.service.streamCount()).toBe(1);
  chat.service.only().say('operator', 'Hello, this is Ada.', 'Ada');
  await until(() => store.get().unread).toBe(1);
});

it('polls where it gets no stream, and does not ask for one again and again', async () => {
  const refusal = { status: 429, code: 'RATE_LIMITED', headers: { 'retry-after': '5' } };
  const { store } = await wait();
  await until(() => chat.service.streamCount()).toBe(1);
  const before = requests('stream');
  chat.service.refuse('stream', refusal);
  chat.service.cut();
  await until(() => requests('conversations')).toBeGreaterThan(3);
  expect(requests('stream')).toBe(before + 1);
  chat.service.only().say('operator', 'Hello, this is Ada.', 'Ada');
  await until(() => store.get().unread).toBe(1);
  expect(store.get().trouble).toBeNull();
  expect(requests('stream')).toBe(before + 1);
  // After ten polls it gets one.
  await until(() => chat.service.streamCount()).toBe(1);
  expect(requests('stream')).toBe(before + 2);
  expect(requests('conversations')).toBeGreaterThan(9);
});
