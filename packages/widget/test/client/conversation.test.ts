import { expect, it } from 'vitest';
import { shown } from './chat-page.ts';
import { until, useScriptedChat } from './use-scripted-chat.ts';

const chat = useScriptedChat();

it('requests nothing until the visitor writes, then streams the answer', async () => {
  const { store } = chat.openTab({ pace: 1 });
  store.setOpen(true);
  expect(store.get()).toMatchObject({ phase: 'empty', messages: [], activity: 'none', trouble: null });
  expect(chat.service.requests).toEqual([]);
  store.send(' Hello ');
  expect(shown(store)).toEqual(['visitor: Hello (sending)']);
  const { id } = store.get().messages[0] ?? {};
  await until(() => shown(store)).toEqual(['bot: Welcome!', 'visitor: Hello']);
  // The bubble stays the same one.
  expect(store.get().messages[1]?.id).toBe(id);
  await until(() => chat.service.streamCount()).toBe(1);
  // What is said of the visitor arrives before or after the stream is opened.
  expect(chat.paths().filter((path) => path !== 'visitor')).toEqual(['token', 'messages', 'stream']);
  expect(chat.service.requests[1]?.body).toEqual({ message: 'Hello', new_conversation: true });
  await until(() => store.get()).toMatchObject({ phase: 'ready', activity: 'typing' });
  const conversation = chat.service.only();
  conversation.write('How ');
  conversation.write('can I');
  await until(() => shown(store).at(-1)).toBe('bot: How can I (streaming)');
  conversation.complete('How can I help?');
  await until(() => shown(store).at(-1)).toBe('bot: How can I help?');
  await until(() => store.get().activity).toBe('none');
  expect(store.get().unread).toBe(0);
});

it('says after a while that it takes longer, and not while text arrives', async () => {
  const { store } = chat.openTab();
  store.setOpen(true);
  store.send('Where is it?');
  await until(() => store.get().activity).toBe('looking');
  chat.service.only().write('It ');
  await until(() => store.get().activity).toBe('typing');
  chat.service.only().complete('It is here.');
  await until(() => store.get().activity).toBe('none');
});

it('shows the history after a reload, and joins the answer that is being written', async () => {
  const first = chat.openTab();
  first.store.setOpen(true);
  first.store.send('Hello');
  await until(() => chat.service.streamCount()).toBe(1);
  chat.service.only().write('I am wri');
  await until(() => shown(first.store).at(-1)).toBe('bot: I am wri (streaming)');
  first.store.close();
  chat.service.requests.length = 0;
  const { store } = chat.openTab();
  store.setOpen(true);
  expect(store.get().phase).toBe('loading');
  await until(() => shown(store)).toEqual(['bot: Welcome!', 'visitor: Hello', 'bot: I am wri (streaming)']);
  expect(store.get()).toMatchObject({ phase: 'ready', activity: 'typing' });
  expect(chat.paths()).toEqual([`conversations/${chat.service.only().id}`, 'stream']);
  chat.service.only().write('ting');
  chat.service.only().complete();
  await until(() => shown(store).at(-1)).toBe('bot: I am writing');
});

it('resumes where a lost connection ended, with nothing doubled or missing', async () => {
  const { store } = chat.openTab();
  store.setOpen(true);
  store.send('Hello');
  await until(() => chat.service.streamCount()).toBe(1);
  const conversation = chat.service.only();
  conversation.write('One, ');
  await until(() => shown(store).at(-1)).toBe('bot: One,  (streaming)');
  chat.service.cut();
  conversation.write('two, ');
  await until(() => chat.service.streamCount()).toBe(1);
  conversation.write('three.');
  await until(() => shown(store).at(-1)).toBe('bot: One, two, three. (streaming)');
  chat.service.cut();
  // The end is missed while the widget is not connected.
  conversation.complete();
  await until(() => store.get().activity).toBe('none');
  expect(shown(store)).toEqual(['bot: Welcome!', 'visitor: Hello', 'bot: One, two, three.']);
});

it('reconnects when a stream is silent', async () => {
  const { store } = chat.openTab({ pace: 0.005 });
  store.setOpen(true);
  store.send('Hello');
  await until(() => chat.service.streamCount()).toBe(1);
  chat.service.refuse('stream', 'hang');
  chat.service.cut();
  await until(() => chat.paths().filter((path) => path === 'stream').length).toBeGreaterThan(2);
  chat.service.only().complete('Still here.');
  await until(() => shown(store).at(-1)).toBe('bot: Still here.');
  expect(store.get()).toMatchObject({ activity: 'none', trouble: null });
});

it('stops an answer and keeps its beginning', async () => {
  const { store } = chat.openTab();
  store.setOpen(true);
  store.send('Hello');
  await until(() => chat.service.streamCount()).toBe(1);
  chat.service.only().write('Once upon');
  await until(() => shown(store).at(-1)).toBe('bot: Once upon (streaming)');
  store.stop();
  await until(() => shown(store).at(-1)).toBe('bot: Once upon (interrupted)');
  expect(store.get()).toMatchObject({ activity: 'none', trouble: null });
});

it('asks again after a failed answer, without showing the question twice', async () => {
  chat.service.control.onMessage = (conversation) => conversation.fail();
  const first = chat.openTab();
  first.store.setOpen(true);
  first.store.send('Hello');
  await until(() => first.store.get().trouble).toEqual({ kind: 'failed' });
  expect(first.store.get().activity).toBe('none');
  chat.service.control.onMessage = (conversation) => conversation.complete('Now it works.');
  first.store.retry();
  const wanted = ['bot: Welcome!', 'visitor: Hello', 'bot: Now it works.'];
  await until(() => shown(first.store)).toEqual(wanted);
  expect(first.store.get().trouble).toBeNull();
  first.store.close();
  const { store } = chat.openTab();
  store.setOpen(true);
  await until(() => shown(store)).toEqual(wanted);
});

it('shows a question that was asked again once in every tab', async () => {
  chat.service.control.onMessage = (conversation) => conversation.fail();
  const left = chat.openTab();
  const right = chat.openTab();
  left.store.setOpen(true);
  right.store.setOpen(true);
  left.store.send('Hello');
  await until(() => left.store.get().trouble).toEqual({ kind: 'failed' });
  await until(() => shown(right.store)).toEqual(['bot: Welcome!', 'visitor: Hello']);
  chat.service.control.onMessage = (conversation) => conversation.complete('Now it works.');
  left.store.retry();
  await until(() => shown(right.store)).toEqual(['bot: Welcome!', 'visitor: Hello', 'bot: Now it works.']);
});

it('counts only what is below the last message of the visitor, whatever was removed', async () => {
  chat.service.control.onMessage = (conversation, text) => conversation.complete(`You wrote ${text}.`);
  const { store } = chat.openTab();
  store.setOpen(true);
  for (const text of ['one', 'two', 'three']) {
    store.send(text);
    await until(() => shown(store).at(-1)).toBe(`bot: You wrote ${text}.`);
  }
  store.close();
  // The last message that this browser has shown is gone.
  chat.service.only().messages.splice(-1, 1);
  chat.service.only().needs_human = true;
  const name = 'svc:svc_key';
  const stored = JSON.parse(chat.storage.items.get(name) ?? '');
  chat.storage.items.set(name, JSON.stringify({ ...stored, expects: 'person' }));
  chat.service.only().say('operator', 'Hello, this is Ada.', 'Ada');
  const next = chat.openTab();
  await until(() => next.store.get().unread).toBe(1);
});

it('reports an answer that failed while the page was closed', async () => {
  const first = chat.openTab();
  first.store.setOpen(true);
  first.store.send('Hello');
  await until(() => chat.service.streamCount()).toBe(1);
  first.store.close();
  chat.service.only().fail();
  const { store } = chat.openTab();
  store.setOpen(true);
  await until(() => store.get().trouble).toEqual({ kind: 'failed' });
  expect(store.get().activity).toBe('none');
});

it('reads the conversation again after a truncation', async () => {
  chat.service.control.onMessage = (conversation, text) => conversation.complete(`You wrote ${text}.`);
  const { store } = chat.openTab();
  store.setOpen(true);
  store.send('one');
  await until(() => shown(store).at(-1)).toBe('bot: You wrote one.');
  store.send('two');
  await until(() => shown(store).at(-1)).toBe('bot: You wrote two.');
  chat.service.only().truncate(3);
  await until(() => shown(store)).toEqual(['bot: Welcome!', 'visitor: one', 'bot: You wrote one.']);
});

it('shows that somebody is checking, and what follows when that is answered elsewhere', async () => {
  const { store, page } = chat.openTab();
  store.setOpen(true);
  store.send('Refund me');
  await until(() => chat.service.streamCount()).toBe(1);
  chat.service.only().pause();
  await until(() => store.get().activity).toBe('checking');
  page.set({ isVisible: false });
  await until(() => chat.service.streamCount()).toBe(0);
  chat.service.only().resume();
  chat.service.only().complete('Refunded.');
  // Polled, because the answer is expected.
  await until(() => shown(store).at(-1)).toBe('bot: Refunded.');
  expect(store.get().activity).toBe('none');
});

it('shows a person and keeps following while a conversation is handed off', async () => {
  chat.service.control.onMessage = (conversation) => {
    conversation.needs_human = true;
    conversation.emit({ type: 'conversation.needs_human', data: { needs_human: true, taken_over: false } });
    conversation.complete('I will get somebody.');
  };
  const { store, page } = chat.openTab();
  store.setOpen(true);
  store.send('A person, please');
  await until(() => store.get().isHandedOff).toBe(true);
  await until(() => store.get().activity).toBe('none');
  store.send('Are you there?');
  await until(() => shown(store).at(-1)).toBe('visitor: Are you there?');
  await until(() => chat.service.only().messages.length).toBe(4);
  expect(store.get().activity).toBe('none');
  store.setOpen(false);
  page.set({ isVisible: false });
  await until(() => chat.service.streamCount()).toBe(0);
  chat.service.only().say('operator', 'Hello, this is Ada.', 'Ada');
  await until(() => store.get().unread).toBe(1);
  page.set({ isVisible: true });
  store.setOpen(true);
  expect(shown(store).at(-1)).toBe('Ada: Hello, this is Ada.');
  expect(store.get().unread).toBe(0);
  chat.service.only().needs_human = false;
  await until(() => chat.service.streamCount()).toBe(1);
  chat.service
    .only()
    .emit({ type: 'conversation.needs_human', data: { needs_human: false, taken_over: false } });
  await until(() => store.get().isHandedOff).toBe(false);
  expect(store.get().returnedAfter).toBe(store.get().messages.at(-1)?.storedId);
});

it('notices on the next page, too, that the bot answers again, and only in that conversation', async () => {
  chat.service.control.onMessage = (conversation) => {
    conversation.needs_human = conversation.taken_over = true;
    conversation.emit({ type: 'conversation.needs_human', data: { needs_human: true, taken_over: true } });
    conversation.complete('Hello.');
  };
  const first = chat.openTab();
  first.store.setOpen(true);
  first.store.send('Hi');
  await until(() => first.store.get().isTakenOver).toBe(true);
  await until(() => shown(first.store).at(-1)).toBe('bot: Hello.');
  expect(first.store.get().returnedAfter).toBeNull();
  first.store.close();
  const conversation = chat.service.only();
  conversation.needs_human = conversation.taken_over = false;
  const { store } = chat.openTab();
  store.setOpen(true);
  await until(() => store.get().phase).toBe('ready');
  expect(store.get().isTakenOver).toBe(false);
  expect(store.get().returnedAfter).toBe(conversation.messages.at(-1)?.id);
  const later = chat.openTab();
  expect(later.store.get().returnedAfter).toBe(conversation.messages.at(-1)?.id);
  later.store.close();

  // A conversation that is left while a person takes part has not returned to the bot.
  conversation.needs_human = true;
  await until(() => chat.service.streamCount()).toBe(1);
  conversation.emit({ type: 'conversation.needs_human', data: { needs_human: true, taken_over: false } });
  await until(() => store.get().isHandedOff).toBe(true);
  const { returnedAfter } = store.get();
  store.startNewConversation();
  expect(store.get()).toMatchObject({ isHandedOff: false, returnedAfter });
});

it('shows who of the team types until they have written or stopped, and says when the visitor types', async () => {
  chat.service.control.onMessage = (conversation) => conversation.complete('Hello.');
  const { store } = chat.openTab({ pace: 0.2 });
  store.setOpen(true);
  store.send('Hi');
  await until(() => shown(store).at(-1)).toBe('bot: Hello.');
  await until(() => chat.service.streamCount()).toBe(1);
  store.noteTyping();
  const conversation = chat.service.only();
  conversation.needs_human = true;
  conversation.emit({ type: 'conversation.needs_human', data: { needs_human: true, taken_over: false } });
  await until(() => store.get().isHandedOff).toBe(true);
  expect(store.get().typist).toBeNull();
  conversation.type('Ada');
  await until(() => store.get().typist).toEqual({ name: 'Ada' });
  await until(() => store.get().typist).toBeNull();
  conversation.type(null);
  await until(() => store.get().typist).toEqual({ name: null });
  conversation.say('operator', 'Hello, this is Ada.', 'Ada');
  await until(() => shown(store).at(-1)).toBe('Ada: Hello, this is Ada.');
  expect(store.get().typist).toBeNull();

  const reports = () => chat.service.requests.filter(({ path }) => path === 'typing');
  expect(reports()).toEqual([]);
  for (let letter = 0; letter < 5; letter += 1) store.noteTyping();
  await until(() => reports().map(({ body }) => body)).toEqual([{ conversation_id: conversation.id }]);
  await until(() => {
    store.noteTyping();
    return reports().length;
  }).toBe(2);
});

it('starts a new conversation and leaves the old one alone', async () => {
  chat.service.control.onMessage = (conversation, text) => conversation.complete(`You wrote ${text}.`);
  const { store } = chat.openTab();
  store.setOpen(true);
  store.send('one');
  await until(() => shown(store).at(-1)).toBe('bot: You wrote one.');
  store.startNewConversation();
  expect(store.get()).toMatchObject({ phase: 'empty', messages: [], activity: 'none' });
  await until(() => chat.service.streamCount()).toBe(0);
  store.send('two');
  await until(() => shown(store)).toEqual(['bot: Welcome!', 'visitor: two', 'bot: You wrote two.']);
  expect(chat.service.conversations.size).toBe(2);
  expect([...chat.service.conversations.values()].map(({ visitor }) => visitor)).toEqual([
    'visitor-000001',
    'visitor-000001',
  ]);
});
