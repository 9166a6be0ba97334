import { setImmediate as nextPass } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createBus } from '../../bus/create-bus.ts';
import { createConversationFeed } from '../../events/conversation-feed.ts';
import type { StreamEvent } from '../../events/event.ts';
import { createLiveReplies } from './live-replies.ts';

const place = { conversationId: 'c', turnId: 't' };
const begun = { messageId: 'm', retracted: [], isShown: true };

function listen() {
  let lapses = 0;
  const feed = createConversationFeed(createBus({ log: pino({ level: 'silent' }) }));
  const told: [type: string, offset: unknown, text: unknown][] = [];
  const onEvents = (events: readonly StreamEvent[]) => {
    for (const { type, data } of events) told.push([type, ...offsetAndText(data)]);
  };
  const nothing = () => undefined;
  feed.subscribe('c', { onEvents, catchUp: async () => undefined, position: nothing, onDeleted: nothing });
  const replies = createLiveReplies({ feed, presence: { lapses: () => lapses } });
  const lapse = () => {
    lapses += 1;
  };
  return { feed, told, replies, lapse };
}

function offsetAndText(data: object): [unknown, unknown] {
  const { offset, text } = data as Record<string, unknown>;
  return [offset, text];
}

it('tells what comes together together, and what comes apart at once', async () => {
  const { told, replies } = listen();
  const reply = replies.begin(place, begun);
  for (const token of ['One', ' two', ' 🙂']) reply.append(token);
  expect(told).toEqual([]);
  await Promise.resolve();
  // Before anything else happens: no text waits for a timer.
  process.nextTick(() => told.push(['next', undefined, undefined]));
  await nextPass();
  reply.append(' three');
  await nextPass();
  expect(told).toEqual([
    ['message.delta', 0, 'One two 🙂'],
    ['next', undefined, undefined],
    ['message.delta', 10, ' three'],
  ]);
});

it('tells everything before whatever follows the reply, and nothing twice', async () => {
  const { feed, told, replies } = listen();
  const reply = replies.begin(place, begun);
  reply.append('One');
  reply.end();
  feed.publish('c', [{ sequence: 2, turnId: 't', type: 'turn.resumed', data: { turn_id: 't' } }]);
  await nextPass();
  expect(told).toEqual([
    ['message.delta', 0, 'One'],
    ['turn.resumed', undefined, undefined],
  ]);
});

it('has told whatever a snapshot holds', async () => {
  const { told, replies } = listen();
  const reply = replies.begin(place, begun);
  reply.append('One');
  expect(replies.snapshots('c')).toMatchObject([{ data: { text: 'One' } }]);
  expect(told).toEqual([['message.delta', 0, 'One']]);
  reply.append(' two');
  await nextPass();
  expect(told.slice(1)).toEqual([['message.delta', 3, ' two']]);
});

it('tells nothing of a reply that is not shown before it is whole', async () => {
  const { told, replies } = listen();
  const reply = replies.begin(place, { ...begun, isShown: false });
  reply.append('One');
  await nextPass();
  expect(replies.snapshots('c')).toEqual([]);
  reply.end();
  expect(told).toEqual([]);
  expect(reply.text).toBe('One');
});

it('tells no more of a reply that another node may have taken over', async () => {
  const { told, replies, lapse } = listen();
  const reply = replies.begin(place, begun);
  reply.append('One');
  await nextPass();
  lapse();
  reply.append(' two');
  await nextPass();
  expect(told).toEqual([['message.delta', 0, 'One']]);
  expect(replies.snapshots('c')).toEqual([]);
  reply.end();
  replies.begin(place, { ...begun, messageId: 'n' }).append('New');
  await nextPass();
  expect(told).toEqual([
    ['message.delta', 0, 'One'],
    ['message.delta', 0, 'New'],
  ]);
});
