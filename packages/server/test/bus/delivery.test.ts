import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Bus } from '../../src/bus/bus.ts';
import { until } from '../support/faults/until.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { chunks, createCollector, useBuses } from './use-buses.ts';

const use = useBuses();

describe('messages', () => {
  it('arrive once, in the order of their publisher, at the processes that subscribe to the topic', async () => {
    const { here, there, third } = await connectThree();
    const [local, remote, other] = [createCollector(), createCollector(), createCollector()];
    here.subscribe(chunks, 'a', local);
    await Promise.all([
      there.subscribe(chunks, 'a', remote).ready,
      third.subscribe(chunks, 'b', other).ready,
    ]);
    const texts = Array.from({ length: 500 }, (_, index) => `${index}`);
    for (const text of texts) here.publish(chunks, 'a', { text });
    third.publish(chunks, 'a', { text: 'from the third' });
    await until('all arrive', () => remote.received.length >= 501);
    here.publish(chunks, 'b', { text: 'last' });
    await until('the last arrives', () => other.received.length > 0);
    expect(remote.received.filter((text) => text !== 'from the third')).toEqual(texts);
    expect(other.received).toEqual(['last']);
    expect(local.received).toEqual(['from the third']);
  });

  it('hold any text', async () => {
    const { here, there } = await connectThree();
    const remote = createCollector();
    await there.subscribe(chunks, 'a', remote).ready;
    const texts = ['\n\r\n\0', '😀 \ud83d', '"}', 'x'.repeat(1_000_000)];
    for (const text of texts) here.publish(chunks, 'a', { text });
    await until('all arrive', () => remote.received.length === texts.length);
    expect(remote.received).toEqual(texts);
  });
});

describe('previews', () => {
  it('arrive joined and before what follows them', async () => {
    const { here, there } = await connectThree();
    const remote = createCollector();
    await there.subscribe(chunks, 'a', remote).ready;
    for (const text of 'preview') here.publish(chunks, 'a', { text, isPreview: true });
    await until('they arrive', () => remote.received.length > 0);
    for (const text of 'more') here.publish(chunks, 'a', { text, isPreview: true });
    here.publish(chunks, 'a', { text: '!' });
    await until('all arrive', () => remote.received.length === 3);
    expect(remote.received).toEqual(['preview', 'more', '!']);
  });

  it('are sent only while another process listens', async () => {
    const { server, here, there } = await connectThree();
    here.subscribe(chunks, 'a', createCollector());
    const remote = createCollector();
    const isPreviewSent = async () => {
      const before = await publishedOn(server);
      here.publish(chunks, 'a', { text: 'p', isPreview: true });
      await sleep(40);
      return (await publishedOn(server)) > before;
    };
    await until('they are not sent', async () => !(await isPreviewSent()));
    const subscription = there.subscribe(chunks, 'a', remote);
    await subscription.ready;
    await until('they are sent', isPreviewSent);
    await until('they arrive', () => remote.received.length > 0);
    subscription.end();
    await until('they are not sent any more', async () => !(await isPreviewSent()));
  });

  it('reach a process that joins at any moment', async () => {
    const { here, there } = await connectThree();
    for (let round = 0; round < 16; round += 1) {
      const remote = createCollector();
      const key = `${round}`;
      // The count of listeners of the first is answered at about the moment at which the other process joins.
      here.publish(chunks, key, { text: 'a', isPreview: true });
      await sleep(14 + (round % 4));
      await there.subscribe(chunks, key, remote).ready;
      // The first does not know of the other at once, but must not take it for absent for ever.
      await until('later ones arrive', () => {
        here.publish(chunks, key, { text: 'b', isPreview: true });
        return remote.received.some((text) => text.includes('b'));
      });
    }
  });
});

describe('greetings', () => {
  it('arrive at processes that begin to listen and that renew', async () => {
    const { here, there } = await connectThree();
    here.greet(chunks, (key) => (key === 'a' ? { text: 'welcome' } : undefined));
    const remote = createCollector();
    const subscription = there.subscribe(chunks, 'a', remote);
    await until('it arrives', () => remote.received.length === 1);
    there.subscribe(chunks, 'a', createCollector());
    subscription.renew();
    await until('it arrives again', () => remote.received.length === 2);
    expect(remote.received).toEqual(['welcome', 'welcome']);
  });
});

describe('channels of Redis', () => {
  it('exist for topics with a local subscriber only', async () => {
    const { server, here, there } = await connectThree();
    const subscriptions = [
      here.subscribe(chunks, 'a', createCollector()),
      here.subscribe(chunks, 'a', createCollector()),
      there.subscribe(chunks, 'a', createCollector()),
      there.subscribe(chunks, 'b', createCollector()),
    ];
    await Promise.all(subscriptions.map(({ ready }) => ready));
    expect(await channelsOf(server)).toEqual(['svc:bus', 'svc:chunks:a', 'svc:chunks:b']);
    expect(await server.command('PUBSUB', 'NUMSUB', 'svc:chunks:a')).toEqual(['svc:chunks:a', 2]);
    for (const subscription of subscriptions) subscription.end();
    await until('they are gone', async () => (await channelsOf(server)).length === 1);
  });

  it('stay when a topic is left and joined again at any moment', async () => {
    const { server, here, there } = await connectThree();
    const remote = createCollector();
    for (let round = 0; round < 200; round += 1) {
      const subscription = there.subscribe(chunks, 'a', remote);
      if (round % 3 === 0) await subscription.ready;
      if (round % 7 === 0) await sleep(round % 3);
      subscription.end();
    }
    await there.subscribe(chunks, 'a', remote).ready;
    here.publish(chunks, 'a', { text: 'one' });
    await until('it arrives', () => remote.received.length > 0);
    await sleep(20);
    expect(await server.command('PUBSUB', 'NUMSUB', 'svc:chunks:a')).toEqual(['svc:chunks:a', 1]);
    expect(remote.received).toEqual(['one']);
  });
});

async function connectThree(): Promise<Record<'here' | 'there' | 'third', Bus> & { server: RedisServer }> {
  const server = await use.server();
  const [here, there, third] = [use.bus(server.url), use.bus(server.url), use.bus(server.url)];
  await until('all are connected', () => [here, there, third].every(({ reach }) => reach !== undefined));
  expect(new Set([here.reach, there.reach, third.reach]).size).toBe(1);
  return { server, here, there, third };
}

/** How many messages were published, announcements included. */
async function publishedOn(server: RedisServer): Promise<number> {
  const statistics = String(await server.command('INFO', 'commandstats'));
  return Number(/cmdstat_publish:calls=(\d+)/.exec(statistics)?.[1] ?? 0);
}

async function channelsOf(server: RedisServer): Promise<string[]> {
  return ((await server.command('PUBSUB', 'CHANNELS')) as string[]).toSorted();
}
