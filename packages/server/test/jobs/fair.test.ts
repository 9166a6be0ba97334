import { once } from 'node:events';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createJobs, type Jobs } from '../../src/jobs/jobs.ts';
import type { JobQueue } from '../../src/jobs/queue.ts';
import { eventually } from '../support/chat.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

interface Letter {
  workspaceId: string;
  name: string;
}

let store: TestDatabase;
let running: Jobs | undefined;
beforeEach(async () => {
  store = await createTestDatabase();
});
afterEach(async () => {
  await running?.stop(0);
  await store.drop();
});

/** Runs letter jobs; those named `slow…` end only when the test ends them. */
async function startLetters(concurrency: { total: number; perWorkspace: number }) {
  const queue: JobQueue<Letter> = {
    name: 'letters',
    retryLimit: 2,
    retryDelaySeconds: 1,
    retryDelayMaxSeconds: 4,
    expireSeconds: 60,
    concurrency,
  };
  const begun: string[] = [];
  const ended: string[] = [];
  const ends = new Map<string, () => void>();
  const jobs = createJobs({ database: store.database, log: pino({ level: 'silent' }), pollSeconds: 0.5 });
  jobs.define(queue, async ({ name }, signal) => {
    begun.push(name);
    const released = new Promise<void>((resolve) => ends.set(name, resolve));
    if (name.startsWith('slow')) await Promise.race([released, once(signal, 'abort')]);
    ended.push(name);
  });
  await jobs.start();
  running = jobs;
  const post = (workspaceId: string, ...names: string[]) =>
    store.database.acrossWorkspaces.transaction(async (tx) => {
      for (const name of names) await jobs.enqueue(tx, queue, { workspaceId, name });
    });
  return {
    begun,
    ended,
    post,
    end: (name: string) => ends.get(name)?.(),
  };
}
const many = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name} ${index}`);

describe('workspaces', () => {
  it('do not wait for the slow jobs of another, however many there are', async () => {
    const { begun, ended, post } = await startLetters({ total: 4, perWorkspace: 3 });
    await post('a', ...many('slow', 100));
    await eventually(() => begun.length).toBe(3);
    await post('b', 'quick b 1', 'quick b 2');
    await post('c', 'quick c');
    await eventually(() => ended.toSorted()).toEqual(['quick b 1', 'quick b 2', 'quick c']);
    expect(begun.filter((name) => name.startsWith('slow'))).toHaveLength(3);
  });

  it('alternate: the one with the fewest running jobs is next', async () => {
    const { begun, post, end } = await startLetters({ total: 4, perWorkspace: 3 });
    await post('a', ...many('slow a', 20));
    await eventually(() => begun).toEqual(['slow a 0', 'slow a 1', 'slow a 2']);
    await post('b', ...many('slow b', 3));
    const others = () => begun.slice(3);
    // Only b may take the last place.
    await eventually(others).toEqual(['slow b 0']);
    // The next place is for b too, before seventeen jobs of a that have waited longer; the one after that is for a again.
    end('slow a 0');
    await eventually(others).toEqual(['slow b 0', 'slow b 1']);
    end('slow a 1');
    await eventually(others).toEqual(['slow b 0', 'slow b 1', 'slow a 3']);
    end('slow b 0');
    await eventually(others).toEqual(['slow b 0', 'slow b 1', 'slow a 3', 'slow b 2']);
  });

  it('have their quick jobs done while their own slow ones run', async () => {
    const { ended, post } = await startLetters({ total: 4, perWorkspace: 3 });
    await post('a', 'slow 1', 'slow 2', ...many('quick', 10));
    await eventually(() => ended.length).toBe(10);
  });

  it('are distinguished even if their jobs were queued before jobs had a group', async () => {
    const before = await startLetters({ total: 4, perWorkspace: 3 });
    await running?.stop(0);
    await before.post('a', ...many('slow', 100));
    await store.database.acrossWorkspaces.raw('update pgboss.job set group_id = null');
    const { begun, ended, post } = await startLetters({ total: 4, perWorkspace: 3 });
    await eventually(() => begun.length).toBeGreaterThanOrEqual(3);
    await post('b', 'quick');
    await eventually(() => ended).toEqual(['quick']);
    expect(begun.filter((name) => name.startsWith('slow'))).toHaveLength(3);
  });
});
