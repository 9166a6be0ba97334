import { beforeEach, expect, it } from 'vitest';
import { shown } from './chat-page.ts';
import { answered, until, useScriptedChat } from './use-scripted-chat.ts';

const chat = useScriptedChat();
beforeEach(() => {
  chat.service.control.onMessage = (conversation, text) => conversation.complete(`You wrote ${text}.`);
});

const ada = { user_id: 'ada', user_hash: 'a'.repeat(64) };
const page = { page_url: 'https://shop.example.com/cart', page_title: 'Your cart' };
const mia = { name: 'Mia', email: 'mia@example.com' };
const reported = () => chat.service.requests.filter(({ path }) => path === 'visitor').map(({ body }) => body);

it('says after each message which page the visitor is on, and who they are until the service knows', async () => {
  const { store } = chat.openTab();
  store.setOpen(true);
  store.giveDetails(mia);
  expect(chat.paths()).toEqual([]);
  chat.service.refuse('visitor', { status: 500 });
  store.send('one');
  await until(() => shown(store)).toEqual(answered('one'));
  store.send('two');
  await until(() => shown(store)).toEqual(answered('one', 'two'));
  await until(reported).toEqual([
    { ...page, ...mia },
    { ...page, ...mia },
  ]);
  store.send('three');
  await until(reported).toEqual([{ ...page, ...mia }, { ...page, ...mia }, page]);
  // Nobody else who uses this browser needs it.
  expect([...chat.storage.items.values()].join()).not.toContain('mia@');
});

it('says on the next page who the visitor is, if the service did not hear it on this one', async () => {
  const { store } = chat.openTab();
  store.setOpen(true);
  store.giveDetails(mia);
  chat.service.refuse('visitor', 'cut');
  store.send('one');
  await until(() => shown(store)).toEqual(answered('one'));
  await until(reported).toEqual([{ ...page, ...mia }]);
  store.close();
  const next = chat.openTab();
  await until(reported).toEqual([
    { ...page, ...mia },
    { ...page, ...mia },
  ]);
  await until(() => [...chat.storage.items.values()].join()).not.toContain('mia@');
  next.store.close();
  chat.openTab();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(reported().length).toBe(2);
});

it('says who the visitor is where the page itself is refused', async () => {
  const { store } = chat.openTab();
  store.setOpen(true);
  store.giveDetails(mia);
  chat.service.refuse('visitor', { status: 400, code: 'VALIDATION_FAILED' });
  store.send('one');
  await until(reported).toEqual([{ ...page, ...mia }, mia]);
  await until(() => [...chat.storage.items.values()].join()).not.toContain('mia@');
  expect(store.get().trouble).toBeNull();
});

it('sends messages where the service does not know of details', async () => {
  chat.service.refuse('visitor', { status: 404, code: 'NOT_FOUND' }, 9);
  const { store } = chat.openTab();
  store.setOpen(true);
  store.send('one');
  await until(() => shown(store)).toEqual(answered('one'));
  store.send('two');
  await until(() => shown(store)).toEqual(answered('one', 'two'));
  expect(store.get().trouble).toBeNull();
});

it('asks a visitor once, in every tab and after the next conversation begins', async () => {
  const { store } = chat.openTab();
  const other = chat.openTab();
  store.setOpen(true);
  expect(store.get().canAsk).toBe(true);
  store.giveDetails({});
  expect(store.get().canAsk).toBe(false);
  await until(() => other.store.get().canAsk).toBe(false);
  store.startNewConversation();
  expect(store.get().canAsk).toBe(false);
});

it('asks nobody who has written, and no user of the site before their messages are read', async () => {
  const { store } = chat.openTab();
  store.setOpen(true);
  store.send('one');
  expect(store.get().canAsk).toBe(false);
  await until(() => shown(store)).toEqual(answered('one'));
  store.startNewConversation();
  expect(store.get().canAsk).toBe(true);
  const later = chat.openTab();
  later.store.identify(ada);
  expect(later.store.get().canAsk).toBe(false);
  later.store.setOpen(true);
  await until(() => later.store.get().canAsk).toBe(true);
});

it('keeps what a visitor has answered when they sign in', async () => {
  const { store } = chat.openTab();
  store.setOpen(true);
  store.giveDetails(mia);
  store.identify(ada);
  await until(() => store.get().canAsk).toBe(false);
  store.send('one');
  await until(() => shown(store)).toEqual(answered('one'));
  await until(reported).toEqual([{ ...page, ...mia }]);
  expect(chat.service.only().visitor).toBe('ada');
  // Another one is not told who that was.
  store.identify(null);
  await until(() => store.get().canAsk).toBe(true);
});
