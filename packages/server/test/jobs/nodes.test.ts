import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBus } from '../../src/bus/create-bus.ts';
import { openDatabase } from '../../src/database/database.ts';
import { sql } from '../../src/database/drizzle.ts';
import { withDeadLetters } from '../../src/jobs/dead-letters.ts';
import { createJobs, type Jobs } from '../../src/jobs/jobs.ts';
import type { JobHandler, JobQueue } from '../../src/jobs/queue.ts';
import { newId } from '../../src/lib/new-id.ts';
import { announcePresence, type Presence, readProcessSpace } from '../../src/nodes/presence.ts';
import { eventually } from '../support/chat.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

interface Letter {
  name: string;
}
/** Within the time of a test, a job is returned only when its node is gone. */
const queue: JobQueue<Letter> = {
  name: 'letters',
  retryLimit: 2,
  retryDelaySeconds: 3_600,
  retryDelayMaxSeconds: 3_600,
  expireSeconds: 3_600,
  // A node whose attempt has not ended takes no other: only another node can.
  concurrency: { total: 1, perWorkspace: 1 },
};
const log = pino({ level: 'silent' });
let store: TestDatabase;
let ends: (() => Promise<void>)[];
beforeEach(async () => {
  store = await createTestDatabase();
  ends = [];
});
afterEach(async () => {
  await Promise.all(ends.map((end) => end()));
  await store.drop();
});

async function startNode(handler: JobHandler<Letter>, presence?: Presence) {
  const present =
    presence ??
    (await announcePresence({ database: store.database, log, bus: createBus({ log }), isAlone: false }));
  const jobs = createJobs({ database: store.database, log, presence: present });
  jobs.define(queue, handler);
  await jobs.start();
  ends.push(async () => {
    await jobs.stop(0);
    await present.stop();
  });
  return { jobs, presence: present };
}

const send = (jobs: Jobs) =>
  store.database.acrossWorkspaces.transaction((tx) => jobs.enqueue(tx, queue, { name: 'parcel' }));
const jobRow = async () => {
  const { rows } = await store.database.acrossWorkspaces.raw(
    `select state, retry_count as attempt from pgboss.job where name = 'letters'`,
  );
  return rows[0];
};
const holders = async () => (await store.database.acrossWorkspaces.raw('select * from job_holders')).rows;

/** A handler whose attempts end when the test ends them. */
function gated() {
  const attempts: { signal: AbortSignal; end: () => void }[] = [];
  const handler: JobHandler<Letter> = async (_data, signal) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    attempts.push({ signal, end: resolve });
    await promise;
    signal.throwIfAborted();
  };
  return { attempts, handler };
}

describe('the jobs of a node that is gone', () => {
  it('are taken over immediately by another node, and later writes of the first have no effect', async () => {
    const [first, second] = [gated(), gated()];
    const one = await startNode(first.handler);
    await send(one.jobs);
    await eventually(() => first.attempts.length).toBe(1);
    const two = await startNode(second.handler);
    await two.jobs.returnAbandoned();
    expect(await jobRow()).toEqual({ state: 'active', attempt: 0 });

    // The other nodes believe that it is gone, but it does not know.
    await one.presence.stop();
    await two.jobs.returnAbandoned();
    await eventually(() => second.attempts.length).toBe(1);
    first.attempts[0]?.end();
    await one.jobs.stop(5_000);
    expect(await jobRow()).toEqual({ state: 'active', attempt: 1 });
    expect(await holders()).toMatchObject([{ node_id: two.presence.nodeId, attempt: 1 }]);

    second.attempts[0]?.end();
    await eventually(jobRow).toEqual({ state: 'completed', attempt: 1 });
    await eventually(holders).toEqual([]);
  });

  it('are resumed by the next start', async () => {
    const [first, second] = [gated(), gated()];
    const one = await startNode(first.handler);
    await send(one.jobs);
    await eventually(() => first.attempts.length).toBe(1);
    await one.presence.stop();
    await startNode(second.handler);
    await eventually(() => second.attempts.length).toBe(1);
    second.attempts[0]?.end();
    await eventually(jobRow).toEqual({ state: 'completed', attempt: 1 });
    first.attempts[0]?.end();
  });

  it('are put back by a node that stops, and the attempt does not count', async () => {
    const [first, second] = [gated(), gated()];
    const one = await startNode(first.handler);
    await send(one.jobs);
    await eventually(() => first.attempts.length).toBe(1);
    const two = await startNode(second.handler);
    await one.jobs.stop(0);
    expect(await jobRow()).toEqual({ state: 'created', attempt: 0 });
    expect(await holders()).toEqual([]);
    two.jobs.wake();
    await eventually(() => second.attempts.length).toBe(1);
    second.attempts[0]?.end();
    await eventually(jobRow).toEqual({ state: 'completed', attempt: 0 });
    first.attempts[0]?.end();
  });

  it('have the same retry limit as others', async () => {
    const { attempts, handler } = gated();
    const node = await startNode(handler);
    await send(node.jobs);
    for (const attempt of [1, 2, 3]) {
      await eventually(() => attempts.length).toBe(attempt);
      await store.database.acrossWorkspaces.execute(sql`update job_holders set node_id = ${newId()}`);
      await node.jobs.returnAbandoned();
    }
    const letters = await withDeadLetters({ database: store.database, log }, (found) => found.list());
    expect(letters).toMatchObject([
      { error: 'The process that ran this job ended before it was done.', attempts: 3 },
    ]);
    for (const { end } of attempts) end();
  });
});

it('a node that cannot send its heartbeat gives up its jobs before other nodes take them', async () => {
  const { attempts, handler } = gated();
  const present = await announcePresence({
    database: store.database,
    log,
    bus: createBus({ log }),
    isAlone: false,
  });
  let hasLapsed = false;
  const node = await startNode(handler, { ...present, hasLapsed: () => hasLapsed });
  await send(node.jobs);
  await eventually(() => attempts.length).toBe(1);
  expect(attempts[0]?.signal.aborted).toBe(false);
  hasLapsed = true;
  await eventually(() => attempts[0]?.signal.aborted).toBe(true);
  attempts[0]?.end();
  await eventually(jobRow).toMatchObject({ state: 'retry' });
});

it('a node whose heartbeat has lapsed takes no jobs until it has sent one again', async () => {
  const { attempts, handler } = gated();
  const present = await announcePresence({
    database: store.database,
    log,
    bus: createBus({ log }),
    isAlone: false,
  });
  let looks = 0;
  let lapsed = true;
  const hasLapsed = () => {
    looks += 1;
    return lapsed;
  };
  const node = await startNode(handler, { ...present, hasLapsed });
  await send(node.jobs);
  // A job that was taken would have been given up by then.
  await eventually(() => looks).toBeGreaterThan(5);
  expect(await jobRow()).toEqual({ state: 'created', attempt: 0 });
  lapsed = false;
  await eventually(() => attempts.length).toBe(1);
  attempts[0]?.end();
  await eventually(jobRow).toEqual({ state: 'completed', attempt: 0 });
});

it('a node sends its heartbeat even while all connections are in use', async () => {
  const crowded = openDatabase({
    connection: store.connection,
    maxConnections: 1,
    onConnectionError: () => undefined,
  });
  const present = await crowded.acrossWorkspaces.transaction(() =>
    announcePresence({ database: crowded, log, bus: createBus({ log }), isAlone: false }),
  );
  const { rows } = await store.database.acrossWorkspaces.execute(sql`select id from nodes`);
  expect(rows).toEqual([{ id: present.nodeId }]);
  await present.stop();
  await crowded.close();
});

describe.skipIf((await readProcessSpace()) === undefined)('a node on the same machine', () => {
  it('is known to be gone when its process is', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
    const id = newId();
    const isThere = async () =>
      (await store.database.acrossWorkspaces.execute(sql`select from nodes where id = ${id}`)).rows.length ===
      1;
    await store.database.acrossWorkspaces.execute(
      sql`insert into nodes (id, process_space, process_id) values (${id}, ${await readProcessSpace()}, ${child.pid})`,
    );
    const announce = async () =>
      (
        await announcePresence({ database: store.database, log, bus: createBus({ log }), isAlone: false })
      ).stop();
    await announce();
    expect(await isThere()).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await announce();
    expect(await isThere()).toBe(false);
  });

  it('is known to be gone when this process has its process id, as in a restarted container', async () => {
    const [earlier, beside] = [newId(), newId()];
    for (const [id, age] of Object.entries({ [earlier]: '1 day', [beside]: '0' })) {
      await store.database.acrossWorkspaces.execute(
        sql`insert into nodes (id, process_space, process_id, started_at)
          values (${id}, ${await readProcessSpace()}, ${process.pid}, now() - ${age}::interval)`,
      );
    }
    await (
      await announcePresence({ database: store.database, log, bus: createBus({ log }), isAlone: false })
    ).stop();
    const { rows } = await store.database.acrossWorkspaces.execute(sql`select id from nodes`);
    expect(rows).toEqual([{ id: beside }]);
  });

  it('is not judged by a process on another machine', async () => {
    const id = newId();
    await store.database.acrossWorkspaces.execute(
      sql`insert into nodes (id, process_space, process_id) values (${id}, 'elsewhere', 999999999)`,
    );
    await (
      await announcePresence({ database: store.database, log, bus: createBus({ log }), isAlone: false })
    ).stop();
    const { rows } = await store.database.acrossWorkspaces.execute(sql`select id from nodes`);
    expect(rows).toEqual([{ id }]);
  });
});
