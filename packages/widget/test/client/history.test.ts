import { beforeEach, expect, it } from 'vitest';
import { type ChatTab, shown } from './chat-page.ts';
import { answered, until, useScriptedChat } from './use-scripted-chat.ts';

const chat = useScriptedChat();
beforeEach(() => {
  chat.service.control.onMessage = (conversation, text) => conversation.complete(`You wrote ${text}.`);
});

const bodies = () => chat.service.requests.filter(({ path }) => path === 'messages').map(({ body }) => body);
const texts = (id: string) =>
  chat.service.conversations
    .get(id)
    ?.messages.filter(({ role }) => role === 'user')
    .map(({ content }) => content);

/** A visitor with two conversations, in front of the second. */
async function visitTwice(): Promise<ChatTab & { first: string; second: string }> {
  const tab = chat.openTab();
  tab.store.setOpen(true);
  tab.store.send('one');
  await until(() => shown(tab.store)).toEqual(answered('one'));
  tab.store.startNewConversation();
  tab.store.send('two');
  await until(() => shown(tab.store)).toEqual(answered('two'));
  const [first = '', second = ''] = chat.service.conversations.keys();
  return { ...tab, first, second };
}

it('shows an earlier conversation, which can be continued', async () => {
  const { store, first, second } = await visitTwice();
  expect(store.get()).toMatchObject({ conversationId: second, isKnown: true });
  const { thread } = store.get();
  store.show(first);
  expect(store.get()).toMatchObject({ conversationId: first, phase: 'loading', messages: [] });
  expect(store.get().thread).not.toBe(thread);
  await until(() => shown(store)).toEqual(answered('one'));
  store.send('more');
  await until(() => shown(store)).toEqual(answered('one', 'more'));
  expect(bodies().at(-1)).toEqual({ message: 'more', conversation_id: first });
  // And after the page is loaded again.
  store.close();
  const next = chat.openTab();
  next.store.setOpen(true);
  await until(() => shown(next.store)).toEqual(answered('one', 'more'));
  next.store.show(second);
  await until(() => shown(next.store)).toEqual(answered('two'));
  expect(texts(second)).toEqual(['two']);
});

it('knows a visitor once they have written, and a user of the site at once', async () => {
  const { store } = chat.openTab();
  store.setOpen(true);
  expect(store.get().isKnown).toBe(false);
  store.send('one');
  await until(() => store.get().isKnown).toBe(true);
  store.identify({ user_id: 'ada', user_hash: 'a'.repeat(64) });
  expect(store.get().isKnown).toBe(true);
});

it('leaves a message that could not be sent where it was written', async () => {
  const { store, first, second } = await visitTwice();
  chat.service.refuse('messages', { status: 429, code: 'RATE_LIMITED', headers: { 'retry-after': '300' } });
  store.send('unsent');
  await until(() => shown(store).at(-1)).toBe('visitor: unsent (failed)');
  store.show(first);
  await until(() => shown(store)).toEqual(answered('one'));
  expect(store.get().trouble).toBeNull();
  store.retry();
  store.send('more');
  await until(() => shown(store)).toEqual(answered('one', 'more'));
  store.show(second);
  await until(() => shown(store).slice(0, 3)).toEqual(answered('two'));
  await until(() => shown(store)).toEqual(answered('two', 'unsent'));
  expect(texts(first)).toEqual(['one', 'more']);
  expect(texts(second)).toEqual(['two', 'unsent']);
});

it('sends nothing elsewhere that was being sent when the visitor left, and sends it once', async () => {
  const { store, first, second } = await visitTwice();
  chat.service.refuse('messages', 'hang');
  store.send('begun');
  await until(() => bodies().length).toBe(3);
  store.show(first);
  await until(() => shown(store)).toEqual(answered('one'));
  chat.service.cut();
  store.send('more');
  await until(() => shown(store)).toEqual(answered('one', 'more'));
  store.show(second);
  await until(() => shown(store)).toEqual(answered('two', 'begun'));
  expect(texts(first)).toEqual(['one', 'more']);
  expect(texts(second)).toEqual(['two', 'begun']);
  expect([...chat.storage.items.values()].join()).toContain('"unsent":{}');
});

it('leaves a message that is refused after the visitor left where it was written', async () => {
  const { store, first, second } = await visitTwice();
  chat.service.refuse('messages', 'hang');
  chat.service.refuse('messages', { status: 400, code: 'VALIDATION_FAILED' });
  store.send('begun');
  await until(() => bodies().length).toBe(3);
  store.show(first);
  await until(() => shown(store)).toEqual(answered('one'));
  chat.service.cut();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(shown(store)).toEqual(answered('one'));
  expect(store.get().trouble).toBeNull();
  store.show(second);
  await until(() => shown(store)).toEqual([...answered('two'), 'visitor: begun (failed)']);
  store.retry();
  await until(() => shown(store)).toEqual(answered('two', 'begun'));
});

it('does not move what was left while the service answers something else', async () => {
  const { store, first, second } = await visitTwice();
  // Somebody else has written to it, and this tab does not know yet.
  const busy = chat.service.conversations.get(second);
  if (busy) busy.status = 'running';
  store.send('late');
  await until(() => bodies().length).toBe(3);
  store.show(first);
  await until(() => shown(store)).toEqual(answered('one'));
  if (busy) busy.status = 'idle';
  store.send('more');
  await until(() => shown(store)).toEqual(answered('one', 'more'));
  expect(texts(second)).toEqual(['two']);
  store.show(second);
  await until(() => shown(store)).toEqual(answered('two', 'late'));
});

it('keeps what was written in a conversation that has not begun for the next one', async () => {
  const { store, page, first } = await visitTwice();
  store.startNewConversation();
  page.set({ isOnline: false });
  store.send('three');
  store.show(first);
  expect(shown(store)).toEqual([]);
  page.set({ isOnline: true });
  await until(() => shown(store)).toEqual(answered('one'));
  store.startNewConversation();
  await until(() => shown(store)).toEqual(answered('three'));
  expect(chat.service.conversations.size).toBe(3);
});

it('shows the chosen conversation in other tabs, but not before they have sent what was written there', async () => {
  const { store, first, second } = await visitTwice();
  const other = chat.openTab();
  const unsent = chat.openTab();
  for (const tab of [other, unsent]) {
    tab.store.setOpen(true);
    await until(() => shown(tab.store)).toEqual(answered('two'));
  }
  unsent.page.set({ isOnline: false });
  unsent.store.send('kept');
  store.show(first);
  await until(() => shown(other.store)).toEqual(answered('one'));
  expect(shown(unsent.store)).toEqual([...answered('two'), 'visitor: kept (sending)']);
  // Its page is loaded again, and shows what the others show.
  unsent.store.close();
  const next = chat.openTab();
  next.store.setOpen(true);
  await until(() => shown(next.store)).toEqual(answered('one'));
  next.store.show(second);
  await until(() => shown(next.store)).toEqual(answered('two', 'kept'));
  expect(texts(first)).toEqual(['one']);
  await until(() => shown(store)).toEqual(answered('two', 'kept'));
});

it('shows a question that was asked again once, and still does after another conversation', async () => {
  const { store, first, second } = await visitTwice();
  chat.service.control.onMessage = (conversation) => conversation.fail();
  store.send('again');
  await until(() => store.get().trouble).toEqual({ kind: 'failed' });
  chat.service.control.onMessage = (conversation, text) => conversation.complete(`You wrote ${text}.`);
  store.retry();
  await until(() => shown(store)).toEqual(answered('two', 'again'));
  store.show(first);
  await until(() => shown(store)).toEqual(answered('one'));
  store.show(second);
  await until(() => shown(store)).toEqual(answered('two', 'again'));
});

it('is sent once, however often a new conversation is begun around it', async () => {
  const { store, page } = chat.openTab();
  store.setOpen(true);
  store.send('one');
  await until(() => shown(store).at(-1)).toMatch(/^bot/);
  const id = store.get().conversationId ?? '';
  store.startNewConversation();
  page.set({ isOnline: false });
  store.send('draft');
  store.show(id);
  store.startNewConversation();
  store.startNewConversation();
  expect(shown(store).filter((line) => line.includes('draft'))).toHaveLength(1);
  page.set({ isOnline: true });
  await until(() => shown(store).at(-1)).toMatch(/^bot/);
  const drafts = chat.service.requests.filter(
    ({ path, body }) => path === 'messages' && body.message === 'draft',
  );
  expect(drafts).toHaveLength(1);
});
