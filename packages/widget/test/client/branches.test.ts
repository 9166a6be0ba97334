import { beforeEach, expect, it } from 'vitest';
import { shown } from './chat-page.ts';
import { until, useScriptedChat } from './use-scripted-chat.ts';

const chat = useScriptedChat();
let replies: number;
beforeEach(() => {
  replies = 0;
  chat.service.control.onMessage = (conversation, text) =>
    conversation.complete(`Reply ${(replies += 1)} to ${text}.`);
});

const sent = () => chat.service.requests.filter(({ path }) => path === 'messages').map(({ body }) => body);
const refusal = { status: 409, code: 'BRANCH_REFUSED' };

/** Two answered messages, and the id of the second. */
async function open() {
  const { store } = chat.openTab();
  store.setOpen(true);
  for (const text of ['one', 'two']) {
    store.send(text);
    await until(() => shown(store).at(-1)).toMatch(`to ${text}.`);
    await until(() => store.get().activity).toBe('none');
  }
  return { store, stored: store.get().messages.at(-2)?.storedId ?? '' };
}

it('puts a message in the place of another one, which disappears at once, in every tab', async () => {
  const { store, stored } = await open();
  const other = chat.openTab();
  other.store.setOpen(true);
  await until(() => shown(other.store)).toHaveLength(5);
  expect(other.store.get()).toMatchObject({ branched: 0, conversationId: chat.service.only().id });
  chat.service.control.onMessage = undefined;
  store.send('zwei', { replaces: stored });
  await until(() => shown(store).slice(3)).toEqual(['visitor: zwei (sending)']);
  await until(() => shown(other.store).slice(3)).toEqual(['visitor: zwei']);
  chat.service.only().complete('Reply 3.');
  for (const tab of [store, other.store]) {
    await until(() => shown(tab).slice(2)).toEqual([
      'bot: Reply 1 to one.',
      'visitor: zwei',
      'bot: Reply 3.',
    ]);
    expect(tab.get().branched).toBeGreaterThan(0);
  }
  expect(sent().at(-1)).toMatchObject({ message: 'zwei', replaces: stored });
});

it('is asked again with the same text, even when the answer to the request is lost', async () => {
  const { store, stored } = await open();
  let cuts = 1;
  chat.service.control.onRequest = (response) => {
    if (chat.service.requests.at(-1)?.path !== 'messages' || cuts === 0) return false;
    cuts -= 1;
    response.write = () => response.destroy() && false;
    return false;
  };
  store.send('two', { replaces: stored });
  await until(() => shown(store).slice(3)).toEqual(['visitor: two', 'bot: Reply 3 to two.']);
  await until(() => sent()).toHaveLength(4);
  expect(sent()[3]).toEqual(sent()[2]);
  expect(shown(store)).toHaveLength(5);
});

it('is not said once more where the answer has done something', async () => {
  const { store, stored } = await open();
  chat.service.refuse('messages', refusal, 2);
  store.send('two', { replaces: stored });
  const refused = ['visitor: two', 'bot: Reply 2 to two.', 'visitor: two (failed)'];
  await until(() => shown(store).slice(3)).toEqual(refused);
  store.retry();
  await until(() => sent()).toHaveLength(4);
  await until(() => shown(store).slice(3)).toEqual(refused);
  expect(sent().map(({ replaces }) => replaces)).toEqual([undefined, undefined, stored, stored]);
});

it('is said once more where the message is gone', async () => {
  const { store } = await open();
  store.send('three', { replaces: 'message-unknown' });
  await until(() => shown(store).at(-1)).toBe('bot: Reply 3 to three.');
  expect(chat.service.conversations.size).toBe(1);
});

it('leaves everything as it was while it cannot be sent, and keeps where it goes', async () => {
  const { store, stored } = await open();
  chat.service.refuse('messages', { status: 402, code: 'INSUFFICIENT_BALANCE' });
  store.send('zwei', { replaces: stored });
  await until(() => shown(store).slice(3)).toEqual([
    'visitor: two',
    'bot: Reply 2 to two.',
    'visitor: zwei (failed)',
  ]);
  store.close();
  const next = chat.openTab();
  next.store.setOpen(true);
  // What was written just now is sent by itself.
  await until(() => shown(next.store).slice(2)).toEqual([
    'bot: Reply 1 to one.',
    'visitor: zwei',
    'bot: Reply 3 to zwei.',
  ]);
});

it('tries a failed answer again in its place', async () => {
  const { store } = await open();
  chat.service.control.onMessage = (conversation) => conversation.fail();
  store.send('three');
  await until(() => store.get().trouble).toEqual({ kind: 'failed' });
  const stored = store.get().messages.at(-1)?.storedId;
  chat.service.control.onMessage = (conversation) => conversation.complete('It works.');
  store.retry();
  await until(() => shown(store).slice(5)).toEqual(['visitor: three', 'bot: It works.']);
  expect(sent().at(-1)).toMatchObject({ message: 'three', replaces: stored });
  expect(chat.service.only().messages).toHaveLength(7);
});

it('shows another version when it is chosen, and ratings as they are', async () => {
  const { store } = await open();
  const conversation = chat.service.only();
  const [question] = conversation.messages.slice(3);
  conversation.branch(3, null, [{ ...question!, id: 'message-other', content: 'zwei' }]);
  await until(() => shown(store).slice(3)).toEqual(['visitor: zwei']);
  expect(store.get().branched).toBeGreaterThan(0);
  const answer = conversation.messages[2]!;
  conversation.emit({ type: 'message.rated', data: { message_id: answer.id, rating: 'down' } });
  await until(() => store.get().messages[2]).toMatchObject({ storedId: answer.id, rating: 'down' });
  store.startNewConversation();
  expect(store.get()).toMatchObject({ branched: 0, conversationId: undefined });
});
