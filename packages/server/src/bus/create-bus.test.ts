import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { contentOf, playTransport } from '../../test/bus/play-transport.ts';
import { createLog } from '../lib/log.ts';
import type { Subscriber, TopicKind } from './bus.ts';
import { createBus } from './create-bus.ts';

interface Chunk {
  text: string;
  isPreview?: boolean;
}

const chunks: TopicKind<Chunk> = {
  name: 'chunks',
  preview: {
    includes: ({ isPreview }) => isPreview === true,
    join: (earlier, later) => ({ text: earlier.text + later.text, isPreview: true }),
  },
};

const log = createLog({ level: 'silent', readable: false });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('within one process', () => {
  it('delivers the message itself, to each subscriber of the topic, before publishing returns', () => {
    const bus = createBus({ log });
    const [first, second, other] = [subscriber(), subscriber(), subscriber()];
    bus.subscribe(chunks, 'a', first);
    bus.subscribe(chunks, 'a', second);
    bus.subscribe(chunks, 'b', other);
    const message = { text: 'one', isPreview: true };
    bus.publish(chunks, 'a', message);
    for (const { messages } of [first, second]) expect(messages).toEqual([[message, 'here']]);
    expect(first.messages[0]?.[0]).toBe(message);
    expect(other.messages).toEqual([]);
  });

  it('delivers to the others when a subscriber throws, and to none after its end', () => {
    const bus = createBus({ log });
    const well = subscriber();
    const subscription = bus.subscribe(chunks, 'a', { ...well, onMessage: fail });
    const wellSubscription = bus.subscribe(chunks, 'a', well);
    bus.publish(chunks, 'a', { text: 'one' });
    subscription.end();
    subscription.end();
    bus.publish(chunks, 'a', { text: 'two' });
    wellSubscription.end();
    bus.publish(chunks, 'a', { text: 'three' });
    expect(well.texts()).toEqual(['one', 'two']);
  });

  it('is ready immediately and reaches no other process', async () => {
    const bus = createBus({ log });
    await bus.subscribe(chunks, 'a', subscriber()).ready;
    expect(bus.reach).toBeUndefined();
    await bus.close();
  });
});

describe('between processes', () => {
  it('joins previews and sends other messages immediately, after the previews before them', async () => {
    const { bus, sent } = connected();
    for (const text of ['a', 'b', 'c']) bus.publish(chunks, '1', { text, isPreview: true });
    bus.publish(chunks, '2', { text: 'x', isPreview: true });
    expect(sent()).toEqual([]);
    await vi.advanceTimersByTimeAsync(15);
    expect(sent()).toEqual(['1 abc', '2 x']);
    bus.publish(chunks, '1', { text: 'd', isPreview: true });
    bus.publish(chunks, '1', { text: '!' });
    expect(sent().slice(2)).toEqual(['1 d', '1 !']);
    await vi.advanceTimersByTimeAsync(100);
    expect(sent()).toHaveLength(4);
  });

  it('keeps previews to itself while no other process listens', async () => {
    const { bus, transport, sent } = connected();
    transport.others = 0;
    const preview = async (text: string) => {
      bus.publish(chunks, '1', { text, isPreview: true });
      await vi.advanceTimersByTimeAsync(15);
    };
    await preview('a');
    await preview('b');
    bus.publish(chunks, '1', { text: '!' });
    expect(sent()).toEqual(['1 a', '1 !']);
    transport.others = 1;
    transport.receive('bus', { listening: ['chunks:1'] });
    await preview('c');
    await preview('d');
    expect(sent().slice(2)).toEqual(['1 c', '1 d']);
  });

  it('does not believe a count of listeners from before an announcement', async () => {
    const { bus, transport, sent } = connected();
    const count = Promise.withResolvers<number>();
    transport.others = count.promise;
    bus.publish(chunks, '1', { text: 'a', isPreview: true });
    await vi.advanceTimersByTimeAsync(15);
    transport.receive('bus', { listening: ['chunks:1'] });
    count.resolve(0);
    await vi.advanceTimersByTimeAsync(0);
    bus.publish(chunks, '1', { text: 'b', isPreview: true });
    await vi.advanceTimersByTimeAsync(15);
    expect(sent()).toEqual(['1 a', '1 b']);
  });

  it('greets processes that begin to listen, after the previews that the greeting includes', async () => {
    const { bus, transport, sent } = connected();
    let text = '';
    bus.greet(chunks, (key) => (key === '1:1' ? { text } : undefined));
    for (const letter of ['a', 'b']) {
      text += letter;
      bus.publish(chunks, '1:1', { text: letter, isPreview: true });
    }
    transport.receive('bus', { listening: ['chunks:1:1', 'chunks:2', 'others:1', 'nonsense'] });
    expect(sent()).toEqual(['1:1 ab', '1:1 ab']);
    await vi.advanceTimersByTimeAsync(15);
    expect(sent()).toHaveLength(2);
  });

  it('announces topics when they are joined, renewed and connected again', async () => {
    const { bus, transport } = connected();
    const subscription = bus.subscribe(chunks, '1', subscriber());
    await subscription.ready;
    await vi.advanceTimersByTimeAsync(0);
    bus.subscribe(chunks, '1', subscriber());
    subscription.renew();
    transport.handlers.onDisconnected();
    transport.handlers.onConnected('again');
    const announcement = { listening: ['chunks:1'] };
    expect(transport.notices()).toEqual([announcement, announcement, announcement]);
    expect(transport.joined).toEqual(new Set(['bus', 'chunks:1']));
    subscription.end();
    expect(transport.joined.size).toBe(2);
  });

  it('announces topics that are joined at the same moment together', async () => {
    const { bus, transport } = connected();
    for (const key of ['1', '2', '3']) bus.subscribe(chunks, key, subscriber());
    await vi.advanceTimersByTimeAsync(0);
    expect(transport.notices()).toEqual([{ listening: ['chunks:1', 'chunks:2', 'chunks:3'] }]);
  });

  it('ignores its own messages and survives those that it cannot read', () => {
    const { bus, transport } = connected();
    const collector = subscriber();
    bus.subscribe(chunks, '1', { ...collector, onMessage: fail });
    bus.subscribe(chunks, '1', collector);
    bus.publish(chunks, '1', { text: 'own' });
    const [channel, text] = transport.texts.at(-1) ?? ['', ''];
    transport.handlers.onText(channel, text);
    for (const garbage of ['', 'x', 'x {', 'null']) transport.handlers.onText('bus', garbage);
    for (const garbage of ['', 'x', 'x {']) transport.handlers.onText('chunks:1', garbage);
    transport.receive('bus', { listening: 5 });
    transport.receive('chunks:1', { text: 'theirs' });
    expect(collector.messages).toEqual([
      [{ text: 'own' }, 'here'],
      [{ text: 'theirs' }, 'elsewhere'],
    ]);
  });
});

describe('when connections are lost', () => {
  it('reports to subscribers on both sides that messages were lost', () => {
    const { bus, transport, sent } = connected();
    const collector = subscriber();
    bus.subscribe(chunks, '1', { ...collector, onLost: fail });
    bus.subscribe(chunks, '1', collector);
    transport.handlers.onDisconnected();
    bus.publish(chunks, '1', { text: 'unsent' });
    expect(collector.losses()).toBe(0);
    transport.handlers.onConnected('again');
    expect(collector.losses()).toBe(1);
    expect(transport.notices().filter(({ lost }) => lost)).toHaveLength(1);
    transport.receive('bus', { lost: true });
    expect(collector.losses()).toBe(2);
    expect(sent()).toEqual([]);
  });

  it('reports no loss to others if it had nothing to send', async () => {
    const { bus, transport } = connected();
    transport.handlers.onDisconnected();
    bus.publish(chunks, '1', { text: 'a', isPreview: true });
    await bus.subscribe(chunks, '1', subscriber()).ready;
    transport.handlers.onConnected('again');
    expect(transport.notices().filter(({ lost }) => lost)).toEqual([]);
  });

  it('reports previews as lost that nothing follows', () => {
    const { bus, transport } = connected();
    const hints = { ...chunks, preview: { ...chunks.preview, isNeeded: true } } as TopicKind<Chunk>;
    const lost = () => transport.notices().filter((notice) => notice.lost).length;
    transport.handlers.onDisconnected();
    bus.publish(hints, '1', { text: 'a', isPreview: true });
    transport.handlers.onConnected('again');
    expect(lost()).toBe(1);
    // This one waits for others when the connection is lost.
    bus.publish(hints, '1', { text: 'b', isPreview: true });
    transport.handlers.onDisconnected();
    transport.handlers.onConnected('again');
    expect(lost()).toBe(2);
  });

  it('reports a message whose sending failed as lost', async () => {
    const { bus, transport } = connected();
    transport.others = undefined;
    bus.publish(chunks, '1', { text: 'a' });
    await vi.advanceTimersByTimeAsync(0);
    transport.handlers.onDisconnected();
    transport.handlers.onConnected('again');
    expect(transport.notices().filter(({ lost }) => lost)).toHaveLength(1);
  });

  it('reports a loss again if the report was lost', async () => {
    const { bus, transport } = connected();
    transport.handlers.onDisconnected();
    bus.publish(chunks, '1', { text: 'a' });
    transport.others = undefined;
    transport.handlers.onConnected('again');
    await vi.advanceTimersByTimeAsync(0);
    transport.handlers.onDisconnected();
    transport.others = 1;
    for (const reach of ['once more', 'and again']) transport.handlers.onConnected(reach);
    expect(transport.notices().filter(({ lost }) => lost)).toHaveLength(2);
  });

  it('has a reach only while it is connected', () => {
    const { bus, transport } = connected();
    const values: (string | undefined)[] = [];
    bus.onReach(fail);
    const stop = bus.onReach((reach) => values.push(reach));
    transport.handlers.onDisconnected();
    transport.handlers.onDisconnected();
    expect(bus.reach).toBeUndefined();
    transport.handlers.onConnected('again');
    expect(bus.reach).toBe('again');
    stop();
    transport.handlers.onDisconnected();
    expect(values).toEqual([undefined, 'again']);
  });

  it('sends what waits before it closes, and nothing after', async () => {
    const { bus, sent } = connected();
    bus.publish(chunks, '1', { text: 'a', isPreview: true });
    await bus.close();
    expect(sent()).toEqual(['1 a']);
    bus.publish(chunks, '1', { text: 'b', isPreview: true });
    bus.publish(chunks, '1', { text: 'c' });
    await vi.advanceTimersByTimeAsync(15);
    await bus.close();
    expect(sent()).toHaveLength(1);
  });
});

function fail(): never {
  throw new Error('On purpose.');
}

function subscriber() {
  const messages: [Chunk, string][] = [];
  let losses = 0;
  return {
    messages,
    texts: () => messages.map(([{ text }]) => text),
    losses: () => losses,
    onMessage: (message, from) => void messages.push([message, from]),
    onLost() {
      losses += 1;
    },
  } satisfies Subscriber<Chunk> & Record<string, unknown>;
}

/** A bus whose transport is played by the test. */
function connected() {
  const transport = playTransport();
  const bus = createBus({ transport, log });
  transport.handlers.onConnected('reach');
  const sent = () =>
    transport.texts
      .filter(([channel]) => channel !== 'bus')
      .map(([channel, text]) => `${channel.replace('chunks:', '')} ${(contentOf(text) as Chunk).text}`);
  return { bus, transport, sent };
}
