import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { Bus } from '../../src/bus/bus.ts';
import { until } from '../support/faults/until.ts';
import { chunks, createCollector, useBuses } from './use-buses.ts';

const use = useBuses();

it('recovers after Redis was killed and started again', async () => {
  const server = await use.server();
  const { log, lines } = collectLog();
  const [here, there] = [use.bus(server.url, log), use.bus(server.url)];
  const remote = createCollector();
  const local = createCollector();
  here.subscribe(chunks, 'a', local);
  there.subscribe(chunks, 'a', remote);
  await together(here, there);
  const before = here.reach;
  const changes: (string | undefined)[] = [];
  here.onReach((reach) => changes.push(reach));
  await server.kill();
  await until('both notice', () => here.reach === undefined && there.reach === undefined);
  for (let index = 0; index < 1_000; index += 1) here.publish(chunks, 'a', { text: `unsent ${index}` });
  await there.subscribe(chunks, 'b', createCollector()).ready;
  const [localLosses, remoteLosses] = [local.losses, remote.losses];
  await server.restart();
  await together(here, there);
  expect(here.reach).not.toBe(before);
  expect(changes).toEqual([undefined, here.reach]);
  await until('losses are reported', () => local.losses > localLosses && remote.losses > remoteLosses);
  await until('messages flow', () => {
    here.publish(chunks, 'a', { text: 'sent' });
    return remote.received.includes('sent');
  });
  expect(remote.received.filter((text) => text.startsWith('unsent'))).toEqual([]);
  expect(lines()).toEqual(['Redis cannot be used; trying again until it works.', 'Redis works again.']);
});

it('lets other processes know when its own messages were lost', async () => {
  const server = await use.server();
  const here = use.bus(server.url);
  await together(here);
  const connection =
    /id=(\d+) [^\n]*name=svc/.exec(String(await server.command('CLIENT', 'LIST')))?.[1] ?? '';
  const there = use.bus(server.url);
  await together(here, there);
  const remote = createCollector();
  await there.subscribe(chunks, 'a', remote).ready;
  const changes: (string | undefined)[] = [];
  there.onReach((reach) => changes.push(reach));
  here.onReach((reach) => {
    if (reach === undefined) here.publish(chunks, 'a', { text: 'unsent' });
  });
  await server.command('CLIENT', 'KILL', 'ID', connection);
  await until('the loss is reported', () => remote.losses > 0);
  expect(remote.received).toEqual([]);
  expect(changes).toEqual([]);
});

it('notices that Redis does not answer', async () => {
  const server = await use.server();
  const [here, there] = [use.bus(server.url), use.bus(server.url)];
  const remote = createCollector();
  there.subscribe(chunks, 'a', remote);
  await together(here, there);
  server.pause();
  await until('both notice', () => here.reach === undefined && there.reach === undefined);
  await there.subscribe(chunks, 'b', createCollector()).ready;
  server.resume();
  await together(here, there);
  await until('messages flow', () => {
    here.publish(chunks, 'a', { text: 'sent' });
    return remote.received.includes('sent');
  });
});

it('keeps only so much for a Redis that does not keep up, and lets receivers know', async () => {
  const server = await use.server();
  const { log, reasons } = collectLog();
  const [here, there] = [use.bus(server.url, log), use.bus(server.url)];
  const remote = createCollector();
  there.subscribe(chunks, 'a', remote);
  await together(here, there);
  const losses = remote.losses;
  server.pause();
  const text = 'x'.repeat(1_000_000);
  for (let index = 0; index < 40; index += 1) here.publish(chunks, 'a', { text });
  await until('it gives up', () => here.reach === undefined);
  expect(reasons()).toEqual(['Redis does not keep up.']);
  server.resume();
  await together(here, there);
  await until('the loss is reported', () => remote.losses > losses);
});

it('starts without Redis', async () => {
  const server = await use.server();
  await server.kill();
  const { log, lines } = collectLog();
  const [here, there] = [use.bus(server.url, log), use.bus(server.url)];
  const [local, remote] = [createCollector(), createCollector()];
  here.subscribe(chunks, 'a', local);
  await there.subscribe(chunks, 'a', remote).ready;
  here.publish(chunks, 'a', { text: 'unsent' });
  await until('it is logged', () => lines().length > 0);
  await server.restart();
  await together(here, there);
  await until('messages flow', () => {
    here.publish(chunks, 'a', { text: 'sent' });
    return remote.received.includes('sent');
  });
  expect(lines()).toHaveLength(2);
});

it('survives garbage on its channels', async () => {
  const server = await use.server();
  const [here, there] = [use.bus(server.url), use.bus(server.url)];
  const remote = createCollector();
  await together(here, there);
  await there.subscribe(chunks, 'a', remote).ready;
  for (const garbage of ['', 'x', 'x {"text"', 'x {"listening":[1]}', '\u0000', 'x null']) {
    for (const channel of ['svc:chunks:a', 'svc:bus']) await server.command('PUBLISH', channel, garbage);
  }
  here.publish(chunks, 'a', { text: 'sent' });
  await until('messages flow', () => remote.received.includes('sent'));
  expect([here.reach, there.reach]).not.toContain(undefined);
});

it('keeps its reach when Redis forgets it, and has another one on another Redis', async () => {
  const [first, second] = [await use.server(), await use.server()];
  const [here, there] = [use.bus(first.url), use.bus(second.url)];
  await until('both are connected', () => here.reach !== undefined && there.reach !== undefined);
  expect(here.reach).not.toBe(there.reach);
  const { reach = '' } = here;
  // The second word names the key that its messages are signed with.
  const [stored, key] = reach.split(' ');
  await first.command('FLUSHALL');
  await until('it is restored', async () => (await first.command('GET', 'svc:reach')) === stored);
  await first.command('SET', 'svc:reach', 'other');
  await until('it follows', () => here.reach === `other ${key}`);
});

it('uses a name and a password, and logs why Redis refuses it', async () => {
  const password = 'p/ss w%rd';
  // The rights that docs/nodes.md names.
  const rights = '~svc:* &svc:* +@connection +@pubsub +@read +@write +@scripting';
  const acl = ['--user', 'svc', 'on', `>${password}`, ...rights.split(' ')];
  const server = await use.server({ args: [...acl, '--requirepass', 'other'], password: 'other' });
  const { log, reasons } = collectLog();
  const refused = use.bus(server.url.replace('//', '//svc:wrong@'), log);
  const here = use.bus(server.url.replace('//', `//svc:${encodeURIComponent(password)}@`));
  await until('it is connected', () => here.reach !== undefined);
  await until('it is logged', () => reasons().length > 0);
  expect(refused.reach).toBeUndefined();
  expect(reasons().join()).toMatch(/^WRONGPASS/);
  expect(reasons().join()).not.toContain('wrong@');
});

it('closes while Redis is absent, paused or in use', async () => {
  const server = await use.server();
  const buses = [use.bus(server.url), use.bus(server.url)];
  await use.bus(server.url).close();
  await Promise.all(buses.map((bus) => until('it is connected', () => bus.reach !== undefined)));
  await buses[0]?.close();
  server.pause();
  await buses[1]?.close();
  await use.bus(server.url).close();
  expect(buses.map(({ reach }) => reach)).toEqual([undefined, undefined]);
});

async function together(...buses: Bus[]): Promise<void> {
  await until('all are connected', () =>
    buses.every(({ reach }) => reach !== undefined && reach === buses[0]?.reach),
  );
}

function collectLog() {
  const entries: { msg: string; reason?: string }[] = [];
  const stream = new Writable({
    write(line, _encoding, done) {
      entries.push(JSON.parse(String(line)) as { msg: string });
      done();
    },
  });
  return {
    log: pino({ level: 'info' }, stream),
    lines: () => entries.map(({ msg }) => msg),
    reasons: () => entries.flatMap(({ reason }) => reason ?? []),
  };
}
