import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import type { Bus } from '../../src/bus/bus.ts';
import { createBus } from '../../src/bus/create-bus.ts';
import { createProcessHub, type HubMessage, type ProcessHub } from '../../src/bus/process-hub.ts';
import {
  connectToHub,
  createProcessTransport,
  type ProcessTransport,
} from '../../src/bus/process-transport.ts';
import { createLog } from '../../src/lib/log.ts';
import { until } from '../support/faults/until.ts';
import { chunks, createCollector } from './use-buses.ts';

const log = createLog({ level: 'silent', readable: false });

interface Process {
  bus: Bus;
  transport: ProcessTransport;
  /** How many times something travelled to the hub. */
  posts(): number;
  /** While it does not read, nothing leaves the hub for this process. */
  setReading(isReading: boolean): void;
  die(): void;
}

/** A process as the hub sees it: everything that travels is copied and arrives later. */
function addProcess(hub: ProcessHub): Process {
  let posts = 0;
  let reading: (() => void)[] | undefined;
  const transport = createProcessTransport({
    reach: hub.reach,
    post(requests, written) {
      posts += 1;
      const copy = structuredClone(requests);
      setImmediate(() => {
        member.receive(copy);
        written();
      });
    },
  });
  const member = hub.add((messages, written) => {
    const copy = structuredClone(messages);
    const read = () => {
      transport.receive(copy);
      written();
    };
    if (reading) reading.push(read);
    else setImmediate(read);
  });
  const bus = createBus({ transport, log });
  onTestFinished(() => bus.close());
  return {
    bus,
    transport,
    posts: () => posts,
    setReading(isReading) {
      const unread = reading ?? [];
      reading = isReading ? undefined : [];
      for (const read of unread) setImmediate(read);
    },
    die() {
      member.remove();
      transport.disconnect();
    },
  };
}

it('carries messages to the processes that subscribed, and to no others', async () => {
  const hub = createProcessHub();
  const [here, there, idle] = [addProcess(hub), addProcess(hub), addProcess(hub)];
  const [heard, unheard] = [createCollector(), createCollector()];
  await there.bus.subscribe(chunks, 'a', heard).ready;
  await idle.bus.subscribe(chunks, 'b', unheard).ready;
  expect(here.bus.reach).toBe(hub.reach);
  here.bus.publish(chunks, 'a', { text: 'one' });
  here.bus.publish(chunks, 'a', { text: 'two' });
  await until('both arrive', () => heard.received.length === 2);
  expect(heard.received).toEqual(['one', 'two']);
  expect(unheard.received).toEqual([]);
});

it('answers how many other processes receive a text', async () => {
  const hub = createProcessHub();
  const [here, there, third] = [addProcess(hub), addProcess(hub), addProcess(hub)];
  const receivers = () => here.transport.send('x', 'text');
  expect(await receivers()).toBe(0);
  await here.transport.join('x');
  expect(await receivers()).toBe(0);
  await Promise.all([there.transport.join('x'), third.transport.join('x')]);
  expect(await receivers()).toBe(2);
  third.transport.leave('x');
  await third.transport.join('y');
  expect(await receivers()).toBe(1);
  there.die();
  expect(await receivers()).toBe(0);
});

it('sends what is published in one turn of the event loop together', async () => {
  const hub = createProcessHub();
  const [here, there] = [addProcess(hub), addProcess(hub)];
  await there.transport.join('x');
  await here.transport.join('y');
  const before = here.posts();
  await Promise.all(Array.from({ length: 100 }, (_, index) => here.transport.send('x', String(index))));
  expect(here.posts()).toBe(before + 1);
});

it('drops texts for a process that does not read, and reports the loss when it reads again', async () => {
  const hub = createProcessHub({ maxWaiting: 10_000 });
  const [here, there] = [addProcess(hub), addProcess(hub)];
  const collector = createCollector();
  await there.bus.subscribe(chunks, 'a', collector).ready;
  const losses = () => collector.losses;
  const before = losses();
  there.setReading(false);
  for (let round = 0; round < 20; round += 1) {
    here.bus.publish(chunks, 'a', { text: `${round}`.padEnd(1_000, '.') });
    await here.transport.send('nowhere', '');
  }
  there.setReading(true);
  await until('the loss is reported', () => losses() > before);
  expect(collector.received.length).toBeLessThan(10);
  expect(collector.received.map((text) => Number.parseInt(text, 10))).toEqual(
    collector.received.map((_, index) => index),
  );
  here.bus.publish(chunks, 'a', { text: 'after' });
  await until('messages arrive again', () => collector.received.at(-1) === 'after');
  expect(losses()).toBe(before + 1);
});

it('is disconnected without its hub: nothing fails and nothing waits', async () => {
  const hub = createProcessHub();
  const [here, there] = [addProcess(hub), addProcess(hub)];
  const unanswered = here.transport.send('x', 'text');
  here.die();
  expect(await unanswered).toBeUndefined();
  expect(here.bus.reach).toBeUndefined();
  await here.bus.subscribe(chunks, 'a', createCollector()).ready;
  here.bus.publish(chunks, 'a', { text: 'lost' });
  await there.transport.join('z');
});

it('includes the process of the hub itself', async () => {
  const hub = createProcessHub();
  const local = createBus({ transport: connectToHub(hub), log });
  onTestFinished(() => local.close());
  const there = addProcess(hub);
  const collector = createCollector();
  await there.bus.subscribe(chunks, 'a', collector).ready;
  await until('the hub is connected to itself', () => local.reach === hub.reach);
  local.publish(chunks, 'a', { text: 'from the hub' });
  await until('it arrives', () => collector.received.length > 0);
});

it.skipIf(process.platform === 'win32')('keeps little for a process that is stopped', async () => {
  const program = `
    let characters = 0;
    process.on('message', (messages) => {
      for (const [kind, , text] of messages) {
        if (kind === 'text') characters += text.length;
        if (kind === 'lost') process.send(characters);
      }
    });
    process.send('started');`;
  const child = fork('-', {
    execArgv: ['--input-type=commonjs', '-e', program, '--'],
    serialization: 'advanced',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  const maxWaiting = 1_000_000;
  const hub = createProcessHub({ maxWaiting });
  const member = hub.add(
    (messages: readonly HubMessage[], written) => void child.send([...messages], written),
  );
  const here = addProcess(hub);
  member.receive([['join', 'x']]);
  child.kill('SIGSTOP');
  const text = '.'.repeat(10_000);
  for (let round = 0; round < 50; round += 1) {
    await Promise.all(Array.from({ length: 100 }, () => here.transport.send('x', text)));
  }
  child.kill('SIGCONT');
  const [arrived] = (await once(child, 'message')) as [number];
  // Of 50 million characters, those that waited here and in the buffers of the system.
  expect(arrived).toBeGreaterThan(0);
  expect(arrived).toBeLessThan(3 * maxWaiting);
});
