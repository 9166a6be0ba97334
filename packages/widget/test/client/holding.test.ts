import { beforeEach, expect, it, vi } from 'vitest';
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

/** A visitor whose question was answered, and who has closed the panel. Nothing is polled within the time of a test. */
async function ask(): Promise<ChatTab> {
  chat.service.control.onMessage = (conversation) => conversation.complete('An answer.');
  const tab = chat.openTab({ pace: 100 });
  tab.store.setOpen(true);
  tab.store.send('A question');
  await until(() => shown(tab.store).at(-1)).toBe('bot: An answer.');
  await until(() => tab.store.get().activity).toBe('none');
  tab.store.setOpen(false);
  await until(() => chat.service.streamCount()).toBe(1);
  return tab;
}

function takeOver(needsHuman: boolean): void {
  const conversation = chat.service.only();
  conversation.needs_human = conversation.taken_over = needsHuman;
  const data = { needs_human: needsHuman, taken_over: needsHuman };
  conversation.emit({ type: 'conversation.needs_human', data });
}

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

it('holds no stream in a hidden page, nor long after the bot answers again', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { store, page } = await wait();
  page.set({ isVisible: false });
  await until(() => chat.service.streamCount()).toBe(0);
  page.set({ isVisible: true });
  await until(() => chat.service.streamCount()).toBe(1);
  vi.setSystemTime(Date.now() + 31 * 60_000);
  chat.service.only().type('Ada');
  await until(() => store.get().typist).toEqual({ name: 'Ada' });
  expect(chat.service.streamCount()).toBe(1);
  takeOver(false);
  await until(() => store.get().isHandedOff).toBe(false);
  await until(() => chat.service.streamCount()).toBe(0);
});

it('hears a person whom nobody has asked, and does not take the next answer for a return of the bot', async () => {
  const { store } = await ask();
  const before = requests('conversations');
  chat.service.only().say('operator', 'Hello, this is Ada.', 'Ada');
  await until(() => store.get().unread).toBe(1);
  expect(requests('conversations')).toBe(before);
  store.setOpen(true);
  store.send('Thanks');
  await until(() => shown(store).slice(-2)).toEqual(['visitor: Thanks', 'bot: An answer.']);
  expect(store.get().returnedAfter).toBeNull();
});

it('hears a person who takes over while the panel is closed', async () => {
  const { store } = await ask();
  takeOver(true);
  await until(() => store.get().isTakenOver).toBe(true);
  const said = chat.service.only().say('operator', 'Hello, this is Ada.', 'Ada');
  await until(() => store.get().unread).toBe(1);
  takeOver(false);
  await until(() => store.get().returnedAfter).toBe(said.id);
});

it('hears a person whom nobody has asked on the next page, too, with the token that it has', async () => {
  const first = await ask();
  first.store.close();
  await until(() => chat.service.streamCount()).toBe(0);
  const { store } = chat.openTab({ pace: 100 });
  await until(() => chat.service.streamCount()).toBe(1);
  chat.service.only().say('operator', 'Hello, this is Ada.', 'Ada');
  await until(() => store.get().unread).toBe(1);
  expect(requests('token')).toBe(1);
});

it('ends the stream half an hour after the last message', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { page } = await ask();
  page.set({ isVisible: false });
  await until(() => chat.service.streamCount()).toBe(0);
  vi.setSystemTime(Date.now() + 29 * 60_000);
  page.set({ isVisible: true });
  await until(() => chat.service.streamCount()).toBe(1);
  // Whatever arrives, such as the comments of the service, shows how late it is.
  vi.setSystemTime(Date.now() + 2 * 60_000);
  chat.service.only().type('Ada');
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
