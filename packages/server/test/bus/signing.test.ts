import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { expect, it, onTestFinished } from 'vitest';
import type { Bus } from '../../src/bus/bus.ts';
import { openKeyFiles } from '../../src/secrets/key-files.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { until } from '../support/faults/until.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { chunks, createCollector, useBuses } from './use-buses.ts';

const use = useBuses();
const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];

async function together(...buses: Bus[]): Promise<void> {
  await until('all are connected', () => buses.every(({ reach }) => reach !== undefined));
}

/** What Redis carries on a channel, as a subscriber there sees it. */
async function record({ url }: RedisServer, channel: string): Promise<string[]> {
  const client = createClient({ url });
  // The server may end before it does.
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.destroy());
  const texts: string[] = [];
  await client.subscribe(channel, (text) => void texts.push(text));
  return texts;
}

it('delivers a text once, on its own channel, and no text that was changed', async () => {
  const server = await use.server();
  const [here, there] = [use.bus(server.url), use.bus(server.url)];
  await together(here, there);
  const [heard, elsewhere] = [createCollector(), createCollector()];
  await there.subscribe(chunks, 'a', heard).ready;
  await there.subscribe(chunks, 'b', elsewhere).ready;
  const texts = await record(server, 'svc:chunks:a');
  here.publish(chunks, 'a', { text: 'one' });
  await until('it arrives', () => heard.received.length === 1 && texts.length === 1);
  const [genuine = ''] = texts;
  const [head = '', content = ''] = genuine.split(' ');
  const parts = head.split('/');
  const changed = parts.map((_part, index) =>
    parts.map((part, position) =>
      position === index ? part.replace(/.$/, (end) => (end === '1' ? '2' : '1')) : part,
    ),
  );
  const forged = [
    genuine,
    `${parts[0]} ${content}`,
    genuine.replace('one', 'two'),
    ...changed.map((some) => `${some.join('/')} ${content}`),
  ];
  for (const text of forged)
    for (const channel of ['svc:chunks:a', 'svc:chunks:b', 'svc:bus'])
      await server.command('PUBLISH', channel, text);
  here.publish(chunks, 'b', { text: 'last' });
  here.publish(chunks, 'a', { text: 'last' });
  await until('the last arrive', () => heard.received.length > 1 && elsewhere.received.length > 0);
  expect([heard.received, elsewhere.received]).toEqual([['one', 'last'], ['last']]);
});

it('refuses what was signed for another channel, even if it has not heard it there', async () => {
  const server = await use.server();
  const [here, there, third] = [use.bus(server.url), use.bus(server.url), use.bus(server.url)];
  await together(here, there, third);
  const [heard, elsewhere] = [createCollector(), createCollector()];
  await third.subscribe(chunks, 'a', heard).ready;
  await there.subscribe(chunks, 'b', elsewhere).ready;
  const texts = await record(server, 'svc:chunks:a');
  here.publish(chunks, 'a', { text: 'one' });
  await until('it arrives', () => heard.received.length === 1 && texts.length === 1);
  await server.command('PUBLISH', 'svc:chunks:b', texts[0] ?? '');
  here.publish(chunks, 'b', { text: 'last' });
  await until('the last arrives', () => elsewhere.received.includes('last'));
  expect(elsewhere.received).toEqual(['last']);
});

it('refuses what was recorded before a process started, half a minute later', async () => {
  const server = await use.server();
  const here = use.bus(server.url);
  await together(here);
  const texts = await record(server, 'svc:chunks:a');
  here.publish(chunks, 'a', { text: 'one' });
  await until('it is recorded', () => texts.length === 1);
  const later = use.bus(server.url, undefined, { now: () => Date.now() + 31_000 });
  await together(later);
  const heard = createCollector();
  await later.subscribe(chunks, 'a', heard).ready;
  const losses = heard.losses;
  await server.command('PUBLISH', 'svc:chunks:a', texts[0] ?? '');
  await until('the loss is reported', () => heard.losses > losses);
  expect(heard.received).toEqual([]);
});

it.each([
  [25_000, true],
  [-25_000, true],
  [40_000, false],
  [-40_000, false],
])(
  'a process whose clock differs by %d ms is heard: %s; if not, subscribers are told of the loss',
  async (difference, isHeard) => {
    const server = await use.server();
    const here = use.bus(server.url, undefined, { now: () => Date.now() + difference });
    const there = use.bus(server.url);
    await together(here, there);
    const heard = createCollector();
    await there.subscribe(chunks, 'a', heard).ready;
    const losses = heard.losses;
    here.publish(chunks, 'a', { text: 'one' });
    if (isHeard) return until('it arrives', () => heard.received.length === 1);
    await until('the loss is reported', () => heard.losses > losses);
    expect(heard.received).toEqual([]);
  },
);

it('understands the previous key, and says by its reach whether both sides understand each other', async () => {
  const server = await use.server();
  const before = use.bus(server.url, undefined, { keyRing: createKeyRing(oldKey) });
  const after = use.bus(server.url, undefined, { keyRing: createKeyRing(newKey, [oldKey]) });
  const done = use.bus(server.url, undefined, { keyRing: createKeyRing(newKey) });
  await together(before, after, done);
  expect(before.reach).not.toBe(after.reach);
  expect(done.reach).toBe(after.reach);
  const heard = { before: createCollector(), after: createCollector(), done: createCollector() };
  await before.subscribe(chunks, 'a', heard.before).ready;
  await after.subscribe(chunks, 'a', heard.after).ready;
  await done.subscribe(chunks, 'a', heard.done).ready;
  before.publish(chunks, 'a', { text: 'old' });
  await until('it arrives', () => heard.after.received.length === 1);
  after.publish(chunks, 'a', { text: 'new' });
  await until('it arrives', () => heard.done.received.length === 1);
  done.publish(chunks, 'a', { text: 'last' });
  await until('it arrives', () => heard.after.received.length === 2);
  expect([heard.before.received, heard.after.received, heard.done.received]).toEqual([
    [],
    ['old', 'last'],
    ['new'],
  ]);
});

it('signs with a key that is generated while it runs, without losing anything', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-signing-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const server = await use.server();
  const open = async () => use.bus(server.url, undefined, { keyRing: await openKeyFiles(directory) });
  const [here, there] = [await open(), await open()];
  await together(here, there);
  const heard = createCollector();
  await there.subscribe(chunks, 'a', heard).ready;
  const { reach } = here;
  await (await openKeyFiles(directory)).generate();
  here.publish(chunks, 'a', { text: 'one' });
  await until('both have the new key', () => here.reach !== reach && here.reach === there.reach);
  here.publish(chunks, 'a', { text: 'two' });
  await until('both arrive', () => heard.received.length === 2);
  expect(heard.received).toEqual(['one', 'two']);
});
