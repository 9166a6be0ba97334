import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type DeadLetters, withDeadLetters } from '../../src/jobs/dead-letters.ts';
import { createJobs, type Jobs } from '../../src/jobs/jobs.ts';
import { type JobHandler, type JobQueue, PermanentFailure } from '../../src/jobs/queue.ts';
import { eventually } from '../support/chat.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

interface Parcel {
  name: string;
}
const parcels: JobQueue<Parcel> = {
  name: 'parcels',
  retryLimit: 2,
  retryDelaySeconds: 1,
  retryDelayMaxSeconds: 4,
  expireSeconds: 30,
};

let store: TestDatabase;
let running: Jobs[];
let logged: string[];
const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
beforeEach(async () => {
  store = await createTestDatabase();
  running = [];
  logged = [];
});
afterEach(async () => {
  await Promise.all(running.map((jobs) => jobs.stop(0)));
  await store.drop();
});

async function start(handler: JobHandler<Parcel>, queue = parcels): Promise<Jobs> {
  const jobs = createJobs({ database: store.database, log, pollSeconds: 0.5 });
  jobs.define(queue, handler);
  await jobs.start();
  running.push(jobs);
  return jobs;
}

const send = (jobs: Jobs, name: string) =>
  store.database.acrossWorkspaces.transaction((tx) => jobs.enqueue(tx, parcels, { name }));
const deadLetters = <Result>(work: (letters: DeadLetters) => Promise<Result>) =>
  withDeadLetters({ database: store.database, log }, work);

/** A handler that records its attempts and runs the given function for each. */
function recorder(attempt: (count: number, signal: AbortSignal) => Promise<void> | void) {
  const seen: { name: string; at: number }[] = [];
  const handler: JobHandler<Parcel> = async ({ name }, signal) => {
    seen.push({ name, at: performance.now() });
    await attempt(seen.length, signal);
  };
  return { seen, handler };
}

describe('a job', () => {
  it('is done immediately and once when its transaction commits', async () => {
    const { seen, handler } = recorder(() => undefined);
    const jobs = createJobs({ database: store.database, log, pollSeconds: 30 });
    jobs.define(parcels, handler);
    await jobs.start();
    running.push(jobs);
    // The first poll is over, so only the notification can be this fast.
    await sleep(1_000);
    await store.database.acrossWorkspaces.transaction(async (tx) => {
      await jobs.enqueue(tx, parcels, { name: 'one' });
      await jobs.enqueue(tx, parcels, { name: 'two' });
      await sleep(200);
      expect(seen).toEqual([]);
    });
    await eventually(() => seen.map(({ name }) => name).toSorted()).toEqual(['one', 'two']);
    await sleep(300);
    expect(seen).toHaveLength(2);
  });

  it('does not exist if its transaction is rolled back', async () => {
    const { seen, handler } = recorder(() => undefined);
    const jobs = await start(handler);
    const failing = store.database.acrossWorkspaces.transaction(async (tx) => {
      await jobs.enqueue(tx, parcels, { name: 'lost' });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await send(jobs, 'kept');
    await eventually(() => seen.length).toBe(1);
    await sleep(1_000);
    expect(seen.map(({ name }) => name)).toEqual(['kept']);
  });

  it('is retried with growing delays', async () => {
    const { seen, handler } = recorder((count) => {
      if (count < 3) throw new Error(`attempt ${count}`);
    });
    await send(await start(handler), 'stubborn');
    await eventually(() => seen.length).toBe(3);
    const [first = 0, second = 0, third = 0] = seen.map(({ at }) => at);
    expect(second - first).toBeGreaterThan(900);
    expect(third - second).toBeGreaterThan(1_800);
    expect(await deadLetters((letters) => letters.list())).toEqual([]);
    expect(logged.filter((line) => line.includes('A job failed.'))).toHaveLength(2);
  });

  it('becomes a dead letter with the reason, and can be retried', async () => {
    let broken = true;
    const { seen, handler } = recorder(() => {
      if (broken) throw new Error('The carrier is closed.');
    });
    await send(await start(handler), 'unlucky');
    const list = () => deadLetters((letters) => letters.list());
    await expect.poll(async () => (await list()).length, { interval: 500 }).toBe(1);
    const [letter] = await list();
    expect(letter).toEqual({
      id: expect.any(String),
      queue: 'parcels',
      error: 'The carrier is closed.',
      attempts: 3,
      data: { name: 'unlucky' },
      failedAt: expect.any(Date),
    });
    expect(seen).toHaveLength(3);

    broken = false;
    expect(await deadLetters((letters) => letters.retry(letter?.id ?? ''))).toBe(true);
    await eventually(() => seen.length).toBe(4);
    expect(await list()).toEqual([]);
    expect(await deadLetters((letters) => letters.retry(letter?.id ?? ''))).toBe(false);
  });

  it('that can never succeed is not retried and does not disturb others', async () => {
    const done: string[] = [];
    const jobs = await start(async ({ name }) => {
      if (name === 'hopeless') throw new PermanentFailure('There is no such street.');
      done.push(name);
    });
    await store.database.acrossWorkspaces.transaction(async (tx) => {
      for (const name of ['one', 'hopeless', 'two']) await jobs.enqueue(tx, parcels, { name });
    });
    const list = () => deadLetters((letters) => letters.list());
    await expect.poll(async () => (await list()).length, { interval: 200 }).toBe(1);
    expect((await list())[0]).toMatchObject({ error: 'There is no such street.', attempts: 1 });
    expect(done.toSorted()).toEqual(['one', 'two']);
  });

  it('that takes too long is aborted, and only that one fails', async () => {
    const reasons: unknown[] = [];
    const once = { ...parcels, retryLimit: 0, expireSeconds: 1 };
    const jobs = await start((_data, signal) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason));
      return new Promise(() => undefined);
    }, once);
    await send(jobs, 'slow');
    const list = () => deadLetters((letters) => letters.list());
    await expect.poll(async () => (await list()).length, { interval: 200 }).toBe(1);
    expect((await list())[0]).toMatchObject({ error: 'It took longer than 1 seconds.' });
    expect(reasons).toHaveLength(1);
  });
});

describe('stopping', () => {
  it('waits for the running job and takes no other', async () => {
    let finished = false;
    const { seen, handler } = recorder(async () => {
      await sleep(1_000);
      finished = true;
    });
    const jobs = await start(handler);
    await send(jobs, 'long');
    await eventually(() => seen.length).toBe(1);
    await jobs.stop(10_000);
    expect(finished).toBe(true);
    await send(jobs, 'later');
    await sleep(1_500);
    expect(seen).toHaveLength(1);

    const next = recorder(() => undefined);
    await start(next.handler);
    await eventually(() => next.seen.map(({ name }) => name)).toEqual(['later']);
  });

  it('aborts a job that does not end in time; the next start runs it again', async () => {
    const aborted: unknown[] = [];
    const { seen, handler } = recorder(async (_count, signal) => {
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }).catch((error: unknown) => {
        aborted.push(error);
        throw error;
      });
    });
    const jobs = await start(handler);
    await send(jobs, 'endless');
    await eventually(() => seen.length).toBe(1);
    const before = performance.now();
    await jobs.stop(100);
    expect(performance.now() - before).toBeLessThan(3_000);
    expect(aborted).toHaveLength(1);

    const next = recorder(() => undefined);
    await start(next.handler);
    await eventually(() => next.seen.map(({ name }) => name)).toEqual(['endless']);
  });
});

it('recovers after its connections were lost', async () => {
  const { seen, handler } = recorder(() => undefined);
  const jobs = await start(handler);
  await store.database.acrossWorkspaces.execute(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await expect
    .poll(() =>
      send(jobs, 'after').then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  await eventually(() => seen.length).toBeGreaterThan(0);
});

it('can be started by several nodes at the same time, and each job is done by one of them', async () => {
  const done: string[] = [];
  const handler: JobHandler<Parcel> = async ({ name }) => void done.push(name);
  const nodes = await Promise.all([start(handler), start(handler), start(handler)]);
  const names = Array.from({ length: 30 }, (_, index) => `parcel ${index}`);
  await Promise.all(names.map((name, index) => send(nodes[index % 3] as Jobs, name)));
  await eventually(() => done.length).toBe(30);
  await sleep(1_000);
  expect(done.toSorted()).toEqual(names.toSorted());
});

it('runs few queries when there is nothing to do', async () => {
  const jobs = createJobs({ database: store.database, log });
  jobs.define(parcels, async () => undefined);
  await jobs.start();
  running.push(jobs);
  await sleep(2_000);
  const spied = vi.spyOn(store.database.acrossWorkspaces, 'raw');
  await sleep(10_000);
  expect(spied).toHaveBeenCalled();
  expect(spied.mock.calls.length).toBeLessThanOrEqual(5);
});
