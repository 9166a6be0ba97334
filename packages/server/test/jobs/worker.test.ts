import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createBoss } from '../../src/jobs/boss.ts';
import type { JobHandler } from '../../src/jobs/queue.ts';
import { type QueueWorker, startQueueWorker } from '../../src/jobs/queue-worker.ts';
import { eventually } from '../support/chat.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

interface Letter {
  name: string;
}
const queue = {
  name: 'letters',
  retryLimit: 5,
  retryDelaySeconds: 1,
  retryDelayMaxSeconds: 4,
  expireSeconds: 60,
  concurrency: { total: 3, perWorkspace: 3 },
};
const log = pino({ level: 'silent' });
const never = 3_600;
let store: TestDatabase;
let boss: PgBoss;
let worker: QueueWorker | undefined;
let pollSeconds: number;
const stopping = new AbortController();
beforeEach(async () => {
  pollSeconds = never;
  store = await createTestDatabase();
  boss = createBoss({ database: store.database, log, works: false });
  await boss.start();
  await boss.createQueue(queue.name, { retryLimit: queue.retryLimit, heartbeatSeconds: 30 });
});
afterEach(async () => {
  await worker?.stop();
  await boss.stop({ graceful: false, close: false });
  await store.drop();
});

/** Only the test wakes it, and it does not poll. */
function start(handler: JobHandler<Letter>, { heartbeatSeconds = never } = {}): QueueWorker {
  worker = startQueueWorker({
    boss,
    database: store.database,
    presence: undefined,
    queue,
    handler: handler as JobHandler<object>,
    stopping: stopping.signal,
    log,
    heartbeatSeconds,
    pollMilliseconds: () => pollSeconds * 1000,
  });
  return worker;
}
const post = (workspaceId: string, name: string) =>
  boss.send(queue.name, { name }, { group: { id: workspaceId } });
const jobRow = async () => {
  const { rows } = await store.database.acrossWorkspaces.raw(
    'select state, retry_count as attempt, heartbeat_on as heartbeat from pgboss.job',
  );
  return rows[0] as { state: string; attempt: number; heartbeat: Date };
};
/** What the sweep does to the job of a node that sent no heartbeat. */
const sweep = () =>
  store.database.acrossWorkspaces.raw(
    `update pgboss.job set state = 'retry', start_after = now() where state = 'active'`,
  );

it('a node that takes back its own job ends the earlier attempt first', async () => {
  const seen: string[] = [];
  const released = Promise.withResolvers<void>();
  const woken = start(async (_data, signal) => {
    const attempt = seen.filter((one) => one.startsWith('begun')).length;
    seen.push(`begun ${attempt}`);
    await Promise.race([once(signal, 'abort'), released.promise]);
    seen.push(`${signal.aborted ? 'aborted' : 'done'} ${attempt}`);
    signal.throwIfAborted();
  });
  await post('a', 'parcel');
  woken.wake();
  await eventually(() => seen).toEqual(['begun 0']);
  await sweep();
  woken.wake();
  await eventually(() => seen.at(-1)).toBe('begun 1');
  expect(seen).toEqual(['begun 0', 'aborted 0', 'begun 1']);
  // The attempt is still tracked, so stopping waits for it.
  const stopped = woken.stop();
  released.resolve();
  await stopped;
  expect(seen).toEqual(['begun 0', 'aborted 0', 'begun 1', 'done 1']);
  expect(await jobRow()).toMatchObject({ state: 'completed', attempt: 1 });
});

it('a job that was taken back keeps its heartbeat after the earlier attempt has ended', async () => {
  const attempts: PromiseWithResolvers<void>[] = [];
  const woken = start(
    async () => {
      const attempt = Promise.withResolvers<void>();
      attempts.push(attempt);
      await attempt.promise;
    },
    { heartbeatSeconds: 0.2 },
  );
  await post('a', 'parcel');
  woken.wake();
  await eventually(() => attempts.length).toBe(1);
  await sweep();
  woken.wake();
  await eventually(async () => (await jobRow()).attempt).toBe(1);
  attempts[0]?.resolve();
  await eventually(() => attempts.length).toBe(2);
  for (let beats = 0; beats < 3; beats += 1) {
    const { heartbeat } = await jobRow();
    await eventually(async () => (await jobRow()).heartbeat > heartbeat).toBe(true);
  }
  attempts[1]?.resolve();
  await eventually(async () => (await jobRow()).state).toBe('completed');
});

it('a job that another node has taken over is abandoned and left to that node', async () => {
  const reasons: string[] = [];
  let begun = 0;
  const woken = start(
    async (_data, signal) => {
      begun += 1;
      await once(signal, 'abort');
      reasons.push((signal.reason as Error).message);
    },
    { heartbeatSeconds: 0.2 },
  );
  await post('a', 'parcel');
  woken.wake();
  await eventually(() => begun).toBe(1);
  await store.database.acrossWorkspaces.raw('update pgboss.job set retry_count = retry_count + 1');
  await eventually(() => reasons).toEqual(['Another node has taken over this job.']);
  await woken.stop();
  expect(await jobRow()).toMatchObject({ state: 'active', attempt: 1 });
});

/** Two jobs of a workspace run; a third and one of another workspace wait without a notification. */
async function startGated() {
  const begun: string[] = [];
  const gates = new Map<string, () => void>();
  const woken = start(async ({ name }) => {
    begun.push(name);
    const gate = Promise.withResolvers<void>();
    gates.set(name, gate.resolve);
    await gate.promise;
  });
  for (const name of ['a1', 'a2']) await post('a', name);
  woken.wake();
  await eventually(() => begun).toEqual(['a1', 'a2']);
  // A poll that found nothing is followed by a pause of at most a second.
  await sleep(1_500);
  await post('a', 'a3');
  await post('b', 'b1');
  const endAll = () => {
    for (const open of gates.values()) open();
  };
  return { begun, woken, endFirst: () => gates.get('a1')?.(), endAll };
}

it('a busy queue polls for other workspaces when a poll is due, even without a notification', async () => {
  const { begun, endFirst, endAll } = await startGated();
  pollSeconds = 0;
  endFirst();
  await eventually(() => begun.length).toBe(4);
  endAll();
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
});

it('a failed poll for other workspaces is repeated', async () => {
  const { begun, woken, endFirst, endAll } = await startGated();
  const fetching = vi.spyOn(boss, 'fetch').mockRejectedValueOnce(new Error('The database is away.'));
  woken.wake();
  await eventually(() => fetching.mock.calls.length).toBe(1);
  endFirst();
  await eventually(() => begun.length).toBe(4);
  endAll();
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
});

it('lookups that fail are repeated once a second, not all the time', async () => {
  const fetching = vi.spyOn(boss, 'fetch').mockRejectedValue(new Error('The database is away.'));
  start(async () => undefined).wake();
  await sleep(500);
  expect(fetching.mock.calls.length).toBeLessThan(5);
  fetching.mockRestore();
});

it('the outcome of a job is written once the database is back, and the job is not done twice', async () => {
  let begun = 0;
  const woken = start(async () => void (begun += 1));
  const away = Object.assign(new Error('The database is away.'), { code: 'ECONNREFUSED' });
  const completing = vi.spyOn(boss, 'complete').mockRejectedValueOnce(away);
  await post('a', 'parcel');
  woken.wake();
  await eventually(async () => (await jobRow()).state).toBe('completed');
  expect(completing).toHaveBeenCalledTimes(2);
  expect(begun).toBe(1);
});
