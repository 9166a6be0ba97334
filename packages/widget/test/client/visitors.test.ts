import { beforeEach, expect, it, vi } from 'vitest';
import { createTestStorage, shown } from './chat-page.ts';
import { answered, until, useScriptedChat } from './use-scripted-chat.ts';

const chat = useScriptedChat();
beforeEach(() => {
  chat.service.control.onMessage = (conversation, text) => conversation.complete(`You wrote ${text}.`);
});

const ada = { user_id: 'ada', user_hash: 'a'.repeat(64) };
const bob = { user_id: 'bob', user_hash: 'b'.repeat(64) };

it('shows the same conversation in two tabs, whoever writes', async () => {
  const left = chat.openTab();
  const right = chat.openTab();
  left.store.setOpen(true);
  right.store.setOpen(true);
  left.store.send('one');
  await until(() => shown(right.store)).toEqual(answered('one'));
  right.store.send('two');
  await until(() => shown(left.store)).toEqual(answered('one', 'two'));
  await until(() => shown(right.store)).toEqual(answered('one', 'two'));
  expect(chat.service.conversations.size).toBe(1);
  left.store.startNewConversation();
  left.store.send('three');
  await until(() => shown(right.store)).toEqual(answered('three'));
});

it('leaves what another tab has stored alone', async () => {
  const left = chat.openTab();
  const right = chat.openTab();
  left.store.setOpen(true);
  right.store.setOpen(true);
  left.store.send('one');
  await until(() => shown(right.store)).toEqual(answered('one'));
  // This tab is in the background and does not see what the other one sees.
  right.page.set({ isVisible: false });
  left.store.send('two');
  await until(() => shown(left.store)).toEqual(answered('one', 'two'));
  const written = vi.spyOn(chat.storage.items, 'set');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(written.mock.calls).toEqual([]);
  right.page.set({ isVisible: true });
  await until(() => shown(right.store)).toEqual(answered('one', 'two'));
});

it('keeps a message that another tab was quicker with', async () => {
  const left = chat.openTab();
  const right = chat.openTab();
  left.store.setOpen(true);
  right.store.setOpen(true);
  left.store.send('zero');
  await until(() => shown(right.store)).toEqual(answered('zero'));
  chat.service.control.onMessage = undefined;
  // This tab is in the background and does not know that an answer is being written.
  right.page.set({ isVisible: false });
  await until(() => chat.service.streamCount()).toBe(1);
  left.store.send('one');
  await until(() => chat.service.only().status).toBe('running');
  right.store.send('one');
  await until(() => chat.service.requests.filter(({ path }) => path === 'messages').length).toBe(3);
  right.page.set({ isVisible: true });
  const asked = [...answered('zero'), 'visitor: one'];
  await until(() => shown(right.store)).toEqual([...asked, 'visitor: one (sending)']);
  chat.service.only().complete('First.');
  await until(() => chat.service.only().status).toBe('running');
  chat.service.only().complete('Second.');
  const wanted = [...asked, 'bot: First.', 'visitor: one', 'bot: Second.'];
  await until(() => shown(right.store)).toEqual(wanted);
  await until(() => shown(left.store)).toEqual(wanted);
});

it('counts what arrives while the panel is closed, in every tab, until one has shown it', async () => {
  const left = chat.openTab();
  const right = chat.openTab();
  chat.service.control.onMessage = undefined;
  left.store.send('one');
  await until(() => shown(right.store)).toEqual(['bot: Welcome!', 'visitor: one']);
  chat.service.only().complete('You wrote one.');
  await until(() => left.store.get().unread).toBe(1);
  await until(() => right.store.get().unread).toBe(1);
  left.store.setOpen(true);
  expect(left.store.get().unread).toBe(0);
  await until(() => right.store.get().unread).toBe(0);
  left.store.setOpen(false);
  expect(left.store.get().unread).toBe(0);
});

it('still counts on the next page what was not read', async () => {
  const first = chat.openTab();
  first.store.send('one');
  await until(() => first.store.get().unread).toBe(1);
  first.store.close();
  const { store } = chat.openTab();
  await until(() => store.get().unread).toBe(1);
  store.setOpen(true);
  expect(store.get().unread).toBe(0);
});

it('requests nothing on a page view when nothing is expected', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const first = chat.openTab();
  first.store.setOpen(true);
  first.store.send('one');
  await until(() => shown(first.store)).toEqual(answered('one'));
  first.store.close();
  vi.setSystemTime(Date.now() + 31 * 60_000);
  chat.service.requests.length = 0;
  chat.openTab();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(chat.service.requests).toEqual([]);
});

it("finds a named user's newest conversation on any browser", async () => {
  const { store } = chat.openTab();
  store.identify(ada);
  store.setOpen(true);
  await until(() => chat.service.requests.map(({ path }) => path)).toEqual(['token', 'conversations']);
  expect(chat.service.requests[0]?.body).toEqual(ada);
  store.send('one');
  await until(() => shown(store)).toEqual(answered('one'));
  const elsewhere = chat.openTab({ storage: createTestStorage() });
  elsewhere.store.identify(ada);
  elsewhere.store.setOpen(true);
  await until(() => shown(elsewhere.store)).toEqual(answered('one'));
  const closed = chat.openTab({ storage: createTestStorage() });
  closed.store.identify(ada);
  closed.store.send('two');
  await until(() => shown(closed.store)).toEqual(answered('one', 'two'));
  expect(chat.service.conversations.size).toBe(1);
});

it("never shows one user another's messages", async () => {
  const { store } = chat.openTab();
  store.setOpen(true);
  store.send('anonymous');
  await until(() => shown(store)).toEqual(answered('anonymous'));
  store.identify(ada);
  expect(store.get()).toMatchObject({ messages: [], isHandedOff: false, trouble: null });
  store.send('secret of ada');
  await until(() => shown(store)).toEqual(answered('secret of ada'));
  store.identify(bob);
  expect(store.get().messages).toEqual([]);
  await until(() => chat.service.requests.at(-1)?.path).toBe('conversations');
  store.identify(null);
  expect(store.get().messages).toEqual([]);
  expect([...chat.storage.items.values()].join()).not.toContain('conversation-');
  // A page that names no user does not show the last one.
  const other = chat.openTab();
  other.store.identify(ada);
  other.store.setOpen(true);
  await until(() => shown(other.store)).toEqual(answered('secret of ada'));
  const anonymous = chat.openTab();
  anonymous.store.setOpen(true);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(anonymous.store.get()).toMatchObject({ phase: 'empty', messages: [] });
});

it('keeps what was being sent when the page named the user', async () => {
  const { store } = chat.openTab();
  store.send('Hello');
  store.identify(ada);
  await until(() => shown(store)).toEqual(answered('Hello'));
  expect(chat.service.only().visitor).toBe('ada');
});

it('keeps what was written before the page named the user', async () => {
  const { store, page } = chat.openTab();
  page.set({ isOnline: false });
  store.send('Hello');
  store.identify(ada);
  page.set({ isOnline: true });
  await until(() => shown(store)).toEqual(answered('Hello'));
  expect(chat.service.only().visitor).toBe('ada');
});

it('continues a named user whose signature has expired, as long as the service renews the token', async () => {
  const { store } = chat.openTab();
  store.identify(ada);
  store.setOpen(true);
  store.send('one');
  await until(() => shown(store)).toEqual(answered('one'));
  chat.service.control.expired.add(ada.user_hash);
  // The access token ends, the renewal token does not.
  for (const token of chat.service.tokens.keys()) {
    if (token.startsWith('token-')) chat.service.tokens.delete(token);
  }
  store.send('two');
  await until(() => shown(store)).toEqual(answered('one', 'two'));
  expect(store.get().trouble).toBeNull();
  expect(chat.service.only().visitor).toBe('ada');
});

it('waits for the page to vouch for a user whose signature has expired, and is nobody else meanwhile', async () => {
  const { store } = chat.openTab();
  store.identify(ada);
  store.setOpen(true);
  store.send('one');
  await until(() => shown(store)).toEqual(answered('one'));
  chat.service.control.expired.add(ada.user_hash);
  chat.service.tokens.clear();
  store.send('two');
  await until(() => store.get().trouble?.kind).toBe('expired');
  await until(() => shown(store)).toEqual([...answered('one'), 'visitor: two (failed)']);
  const asked = chat.service.requests.filter(({ path }) => path === 'token');
  expect(asked.slice(1).every(({ body }) => body.user_id === 'ada' || body.renewal_token)).toBe(true);
  store.identify({ ...ada, user_hash: 'c'.repeat(64) });
  await until(() => shown(store)).toEqual(answered('one', 'two'));
  expect(store.get().trouble).toBeNull();
  expect(chat.service.conversations.size).toBe(1);
});

it('notices an expired signature while the visitor only reads', async () => {
  const { store } = chat.openTab();
  chat.service.control.expired.add(ada.user_hash);
  store.identify(ada);
  store.setOpen(true);
  await until(() => store.get().trouble?.kind).toBe('expired');
  store.identify({ ...ada, user_hash: 'c'.repeat(64) });
  await until(() => store.get().trouble).toBeNull();
});
