import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createTestStorage, openChatTab, shown } from './chat-page.ts';
import { answered, until, useScriptedChat } from './use-scripted-chat.ts';

const chat = useScriptedChat();
beforeEach(() => {
  chat.service.control.onMessage = (conversation, text) => conversation.complete(`You wrote ${text}.`);
});
afterEach(() => void vi.restoreAllMocks());

const sent = () => chat.service.requests.filter(({ path }) => path === 'messages');
const keys = () => new Set(sent().map(({ headers }) => headers['idempotency-key']));

it('repeats a message under the same key until it is through', async () => {
  chat.service.refuse('messages', 'cut', 1);
  chat.service.refuse('messages', { status: 503, code: 'NOT_READY' }, 1);
  const { store } = chat.openTab();
  store.setOpen(true);
  store.send('Hello');
  await until(() => shown(store)).toEqual(answered('Hello'));
  expect(sent().length).toBe(3);
  expect(keys().size).toBe(1);
  expect(chat.storage.items.get('svc:svc_key')).toContain('"unsent":{}');
});

it('does not send a message twice whose acknowledgement was lost', async () => {
  let cuts = 2;
  chat.service.control.onMessage = (conversation, text) => {
    setTimeout(() => conversation.complete(`You wrote ${text}.`), 100);
  };
  const { store } = chat.openTab();
  store.setOpen(true);
  // The message is stored, and the connection is cut before anything arrives.
  chat.service.control.onRequest = (response) => {
    if (chat.service.requests.at(-1)?.path !== 'messages' || cuts === 0) return false;
    cuts -= 1;
    response.write = () => response.destroy() && false;
    return false;
  };
  store.send('Hello');
  await until(() => shown(store)).toEqual(answered('Hello'));
  expect(sent().length).toBe(3);
  expect(chat.service.conversations.size).toBe(1);
});

it('reports an outage, and sends what was kept when the service is back', async () => {
  chat.service.refuse('', 'cut', 1000);
  const { store } = chat.openTab();
  store.setOpen(true);
  store.send('Hello');
  await until(() => store.get().trouble).toEqual({ kind: 'outage' });
  expect(shown(store)).toEqual(['visitor: Hello (failed)']);
  chat.service.recover();
  store.retry();
  await until(() => shown(store)).toEqual(answered('Hello'));
  expect(store.get().trouble).toBeNull();
  expect(keys().size).toBe(1);
});

it('reports an outage of the stream and recovers on its own', async () => {
  const { store } = chat.openTab();
  store.setOpen(true);
  store.send('Hello');
  await until(() => shown(store)).toEqual(answered('Hello'));
  chat.service.refuse('', 'cut', 1000);
  chat.service.cut();
  await until(() => store.get().trouble).toEqual({ kind: 'outage' });
  chat.service.recover();
  await until(() => store.get().trouble).toBeNull();
  chat.service.only().say('operator', 'Back again.', 'Ada');
  await until(() => shown(store).at(-1)).toBe('Ada: Back again.');
});

it('waits without a connection and sends when there is one', async () => {
  const { store, page } = chat.openTab();
  store.setOpen(true);
  page.set({ isOnline: false });
  expect(store.get().isOnline).toBe(false);
  store.send('Hello');
  store.send('Are you there?');
  expect(shown(store)).toEqual(['visitor: Hello (sending)', 'visitor: Are you there? (sending)']);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(chat.service.requests).toEqual([]);
  page.set({ isOnline: true });
  await until(() => shown(store)).toEqual(answered('Hello', 'Are you there?'));
  expect(store.get().isOnline).toBe(true);
});

it('takes a message that could not be sent along into a new conversation', async () => {
  const { store, page } = chat.openTab();
  store.setOpen(true);
  store.send('one');
  await until(() => shown(store)).toEqual(answered('one'));
  page.set({ isOnline: false });
  store.send('two');
  store.startNewConversation();
  expect(shown(store)).toEqual(['visitor: two (sending)']);
  page.set({ isOnline: true });
  await until(() => shown(store)).toEqual(answered('two'));
});

it('sends on the next page what the visitor left too early to be sent', async () => {
  chat.service.refuse('messages', 'hang');
  const first = chat.openTab();
  first.store.send('Hello');
  await until(() => sent().length).toBe(1);
  first.store.close();
  const { store } = chat.openTab();
  expect(shown(store)).toEqual(['visitor: Hello (sending)']);
  // The panel is closed, so the answer is polled for.
  await until(() => shown(store)).toEqual(answered('Hello'));
  expect(keys().size).toBe(1);
  expect(store.get().unread).toBe(1);
});

it('shows an old message that was never sent, and leaves it to the visitor to send it', async () => {
  chat.service.refuse('messages', 'hang');
  const first = chat.openTab();
  first.store.send('Hello');
  await until(() => sent().length).toBe(1);
  first.store.close();
  const name = 'svc:svc_key';
  const stored = JSON.parse(chat.storage.items.get(name) ?? '');
  for (const message of Object.values<{ createdAt: string }>(stored.unsent)) {
    message.createdAt = new Date(Date.now() - 600_000).toISOString();
  }
  chat.storage.items.set(name, JSON.stringify(stored));
  const { store } = chat.openTab();
  store.setOpen(true);
  await until(() => shown(store)).toEqual(['visitor: Hello (failed)']);
  store.retry();
  await until(() => shown(store)).toEqual(answered('Hello'));
});

it('keeps the text of a message over the rate limit', async () => {
  chat.service.refuse('messages', { status: 429, code: 'RATE_LIMITED', headers: { 'retry-after': '300' } });
  const { store } = chat.openTab();
  store.setOpen(true);
  const before = Date.now();
  store.send('Hello');
  await until(() => store.get().trouble?.kind).toBe('rate_limited');
  const { trouble } = store.get();
  const retryAt = trouble?.kind === 'rate_limited' ? trouble.retryAt : 0;
  expect(retryAt).toBeGreaterThanOrEqual(before + 300_000);
  expect(retryAt).toBeLessThanOrEqual(Date.now() + 300_000);
  expect(shown(store)).toEqual(['visitor: Hello (failed)']);
  expect(sent().length).toBe(1);
  store.retry();
  await until(() => shown(store)).toEqual(answered('Hello'));
  expect(store.get().trouble).toBeNull();
});

it('offers to send it again when the rate limit is over', async () => {
  chat.service.refuse('messages', { status: 429, code: 'RATE_LIMITED', headers: { 'retry-after': '60' } });
  const { store } = chat.openTab({ pace: 0.001 });
  store.send('Hello');
  await until(() => store.get().trouble?.kind).toBe('rate_limited');
  await until(() => store.get().trouble).toBeNull();
  expect(shown(store)).toEqual(['visitor: Hello (failed)']);
});

it.each([
  [{ status: 402, code: 'INSUFFICIENT_BALANCE' }, 'resting'],
  [{ status: 503, code: 'NO_MODEL_CONFIGURED' }, 'resting'],
  [{ status: 429, code: 'RATE_LIMITED', details: [{ limit: 'visitor_usd_per_day' }] }, 'resting'],
  [{ status: 400, code: 'VALIDATION_FAILED' }, 'failed'],
  [{ status: 403, code: 'FORBIDDEN' }, 'blocked'],
  [{ status: 409, code: 'BOT_INACTIVE' }, 'blocked'],
])('shows %o as %s', async (refusal, kind) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  chat.service.refuse('messages', refusal);
  const { store } = chat.openTab();
  store.setOpen(true);
  store.send('Hello');
  await until(() => store.get().trouble?.kind).toBe(kind);
  expect(shown(store)).toEqual(['visitor: Hello (failed)']);
  expect(store.get().activity).toBe('none');
  expect(warn.mock.calls.length).toBe(kind === 'blocked' ? 1 : 0);
  store.retry();
  await until(() => shown(store)).toEqual(answered('Hello'));
  expect(store.get().trouble).toBeNull();
});

it('takes a page for blocked whose requests fail although the service can be reached', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  for (const path of ['token', 'messages']) chat.service.refuse(path, 'cut', 1000);
  const { store } = chat.openTab();
  store.setOpen(true);
  store.send('Hello');
  await until(() => store.get().trouble?.kind).toBe('blocked');
  expect(String(warn.mock.calls[0])).toContain('allowed_domains');
  chat.service.recover();
  await until(() => shown(store)).toEqual(answered('Hello'));
  expect(store.get().trouble).toBeNull();
  expect(warn.mock.calls.length).toBe(1);
});

it.each([
  ['a service that answers with errors', { status: 503, code: 'NOT_READY' }, ['']],
  ['a proxy in front of a service that is down', 'cut' as const, ['token', '/widget.js']],
])('does not take %s for one that refuses the page', async (_, answer, paths) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  for (const path of paths) chat.service.refuse(path, answer, 1000);
  const { store } = chat.openTab();
  store.setOpen(true);
  store.send('Hello');
  await until(() => chat.paths().filter((path) => path === 'token').length).toBeGreaterThan(8);
  expect(store.get().trouble).toEqual({ kind: 'outage' });
  expect(warn).not.toHaveBeenCalled();
});

it('waits with a second message until the first is answered', async () => {
  chat.service.control.onMessage = undefined;
  const { store } = chat.openTab();
  store.setOpen(true);
  store.send('one');
  store.send('two');
  await until(() => shown(store).slice(-2)).toEqual(['visitor: one', 'visitor: two (sending)']);
  expect(sent().length).toBe(1);
  chat.service.only().complete('First.');
  await until(() => sent().length).toBe(2);
  await until(() => chat.service.only().status).toBe('running');
  chat.service.only().complete('Second.');
  const wanted = ['bot: Welcome!', 'visitor: one', 'bot: First.', 'visitor: two', 'bot: Second.'];
  await until(() => shown(store)).toEqual(wanted);
});

it('renews a token that is no longer accepted, for the same visitor', async () => {
  const { store } = chat.openTab();
  store.setOpen(true);
  store.send('one');
  await until(() => shown(store)).toEqual(answered('one'));
  for (const name of chat.service.tokens.keys())
    if (name.startsWith('token')) chat.service.tokens.delete(name);
  chat.service.cut();
  store.send('two');
  await until(() => shown(store)).toEqual(answered('one', 'two'));
  expect(chat.service.conversations.size).toBe(1);
  expect(chat.service.only().visitor).toBe('visitor-000001');
});

it('becomes a new visitor if the old one has expired, and keeps what was written', async () => {
  const { store } = chat.openTab();
  store.setOpen(true);
  store.send('one');
  await until(() => shown(store)).toEqual(answered('one'));
  chat.service.tokens.clear();
  chat.service.cut();
  store.send('two');
  await until(() => shown(store)).toEqual(answered('two'));
  expect(store.get()).toMatchObject({ activity: 'none', trouble: null });
});

it('moves to a new conversation if its own was erased', async () => {
  const { store } = chat.openTab();
  store.setOpen(true);
  store.send('one');
  await until(() => shown(store)).toEqual(answered('one'));
  chat.service.conversations.clear();
  chat.service.cut();
  await until(() => store.get()).toMatchObject({ phase: 'empty', messages: [], trouble: null });
  store.send('two');
  await until(() => shown(store)).toEqual(answered('two'));
});

it.each(['null', '7', '"text"', '[]', '{"token":1', 'x'])('starts over where %s is stored', async (text) => {
  chat.storage.items.set('svc:svc_key', text);
  const { store } = chat.openTab();
  store.setOpen(true);
  store.send('one');
  await until(() => shown(store)).toEqual(answered('one'));
});

it('works where storage is blocked or full', async () => {
  const full = createTestStorage();
  const { forTab } = full;
  full.forTab = (page) =>
    Object.assign(forTab(page), {
      setItem() {
        throw new Error('It is full.');
      },
    });
  for (const storage of [undefined, full]) {
    const { store } = openChatTab({ service: chat.service.url, ...(storage && { storage }) });
    store.setOpen(true);
    store.send('one');
    await until(() => shown(store)).toEqual(answered('one'));
    store.send('two');
    await until(() => shown(store)).toEqual(answered('one', 'two'));
    store.close();
  }
  expect(chat.service.conversations.size).toBe(2);
});

it('keeps a message whose files are gone, and sends it without them if the visitor wants that', async () => {
  const { store } = chat.openTab();
  store.setOpen(true);
  const file = { id: 'file-1', name: 'mug.png', media_type: 'image/png' as const, size: 7 };
  const details = [{ path: 'attachments', message: 'names a file that does not exist or was already sent' }];
  chat.service.refuse('messages', { status: 404, code: 'NOT_FOUND', details });
  store.send('It is broken', { attachments: [file] });
  await until(() => shown(store)).toEqual(['visitor: It is broken (failed)']);
  const files = () => sent().map(({ body }) => body.attachments);
  expect(files()).toEqual([['file-1']]);
  store.retry();
  await until(() => files()).toEqual([['file-1'], undefined]);
});
