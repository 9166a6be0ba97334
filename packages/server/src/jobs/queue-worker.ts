import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, PgBoss } from 'pg-boss';
import type { Database } from '../database/database.ts';
import type { Presence } from '../nodes/presence.ts';
import { statementsOn } from './boss.ts';
import { jobStore } from './jobs.store.ts';
import { type RunOptions, runJob } from './run-job.ts';
import { settleJob } from './settle-job.ts';
import { workspacesToSkip } from './workspaces-to-skip.ts';

export interface QueueWorkerOptions extends RunOptions {
  boss: PgBoss;
  database: Database;
  /** The node that takes the jobs. */
  presence: Pick<Presence, 'nodeId' | 'hasLapsed'> | undefined;
  /** The jobs of a node without a known presence are recovered after this long. */
  heartbeatSeconds: number;
  /** How long to wait before polling again, when no notification arrives. */
  pollMilliseconds(): number;
}

export type QueueWorker = ReturnType<typeof startQueueWorker>;

interface Running {
  job: Job;
  lost: AbortController;
  ended: Promise<void>;
}

const defaultConcurrency = { total: 12, perWorkspace: 9 };
/** Long queues make each lookup slower; their notifications must not make us look up jobs all the time. */
const pausePerLookup = 10;
const maxPauseMilliseconds = 1_000;
const minRestMilliseconds = 10;
/** How many heartbeats are sent within the period after which one counts as missed. */
const beatsPerHeartbeat = 6;
const checkLapseMilliseconds = 1_000;

/**
 * Works on one queue. Jobs run independently, so that a slow one delays no other, and workspaces share the concurrency
 * fairly. pg-boss's own workers run batches that end together, and let the workspace with the most jobs fill them.
 */
export function startQueueWorker(options: QueueWorkerOptions) {
  const { boss, queue, database, presence, log } = options;
  const taking = { boss, database, nodeId: presence?.nodeId };
  const { total, perWorkspace } = queue.concurrency ?? defaultConcurrency;
  const running = new Set<Running>();
  let mayHaveOthers = true;
  let lookedForOthersAt = Number.NEGATIVE_INFINITY;
  let nextLookAt = 0;
  let isStopped = false;
  let isAwake = true;
  let rouse: () => void = () => undefined;

  function wake(): void {
    isAwake = true;
    rouse();
  }

  function countRunning(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { job } of running) {
      if (job.groupId) counts.set(job.groupId, (counts.get(job.groupId) ?? 0) + 1);
    }
    return counts;
  }

  async function take(): Promise<Job | undefined> {
    const started = performance.now();
    // No notification announces due retries and delayed jobs, and a busy queue never pauses to poll for them.
    const isDue = started - lookedForOthersAt >= options.pollMilliseconds();
    const looksForOthers = (mayHaveOthers || isDue) && started >= nextLookAt;
    if (!looksForOthers) return look(false);
    // Reset before the lookup, so that a notification that arrives meanwhile is not missed.
    mayHaveOthers = false;
    lookedForOthersAt = started;
    try {
      return await look(true);
    } catch (error) {
      mayHaveOthers = true;
      throw error;
    }
  }

  async function look(forOthers: boolean): Promise<Job | undefined> {
    const started = performance.now();
    const shares = { running: countRunning(), perWorkspace, mayHaveOthers: forOthers };
    for (const [place, ignoreGroups] of workspacesToSkip(shares).entries()) {
      const job = await takeJob(taking, queue.name, ignoreGroups);
      const isForOthers = forOthers && place === 0;
      // Where one was found there may be more.
      if (job && isForOthers) mayHaveOthers = true;
      if (job) return job;
      if (isForOthers) nextLookAt = performance.now() + pauseAfter(started);
    }
    return undefined;
  }

  async function startJobs(): Promise<void> {
    // Other nodes would immediately take over the jobs of a node that they consider lost.
    while (!isStopped && running.size < total && !presence?.hasLapsed()) {
      const started = performance.now();
      const job = await take();
      if (!job) return sleep(pauseAfter(started));
      begin(job);
    }
  }

  function begin(job: Job): void {
    // We were considered lost and have taken our own job again: the earlier attempt ends first.
    const earlier = [...running].filter((one) => one.job.id === job.id);
    for (const { lost } of earlier) lost.abort(new Error('This job was started again.'));
    const lost = new AbortController();
    const ended = Promise.all(earlier.map((one) => one.ended)).then(() => finish(job, lost.signal));
    const entry: Running = { job, lost, ended: ended.then(() => leave(entry)) };
    running.add(entry);
  }

  function leave(entry: Running): void {
    running.delete(entry);
    wake();
  }

  async function finish(job: Job, lost: AbortSignal): Promise<void> {
    const outcome = await runJob(job, lost, options);
    await settleJob(job, outcome, { boss, database, log, isStopped: () => isStopped });
  }

  async function work(): Promise<void> {
    while (!isStopped) {
      isAwake = false;
      let shortestRest = minRestMilliseconds;
      try {
        await startJobs();
      } catch (error) {
        // A database that refuses connections does so immediately.
        shortestRest = maxPauseMilliseconds;
        log.warn({ err: error, queue: queue.name }, 'Background work met an error and continues.');
      }
      if (!isAwake && !isStopped) await waitForWork(shortestRest);
    }
  }

  function waitForWork(shortest: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        mayHaveOthers = true;
        resolve();
      }, restMilliseconds(shortest));
      rouse = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** A notification that arrived during the pause after a lookup is due when that is over. */
  function restMilliseconds(shortest: number): number {
    const isDue = mayHaveOthers && running.size < total && !presence?.hasLapsed();
    const poll = options.pollMilliseconds();
    return isDue ? Math.min(Math.max(nextLookAt - performance.now(), shortest), poll) : poll;
  }

  /** Sends heartbeats, and aborts jobs that another node has taken over. */
  async function beat(): Promise<void> {
    const held = [...running].filter(({ lost }) => !lost.signal.aborted);
    if (held.length === 0) return;
    const jobs = held.map(({ job }) => job);
    try {
      await boss.touch(queue.name, jobs);
      const ours = new Set(await jobStore.listHeldAcrossWorkspaces(database.acrossWorkspaces, jobs));
      for (const { job, lost } of held) {
        if (!ours.has(job.id)) lost.abort(new Error('Another node has taken over this job.'));
      }
    } catch (error) {
      log.warn({ err: error, queue: queue.name }, 'Background work met an error and continues.');
    }
  }

  /** Other nodes may consider this one lost: its jobs end here before they are taken over. */
  function abortIfLapsed(): void {
    if (!presence?.hasLapsed()) return;
    for (const { lost } of running) lost.abort(new Error('This node could not renew its presence in time.'));
  }

  const beating = setInterval(
    () => void beat(),
    (options.heartbeatSeconds * 1000) / beatsPerHeartbeat,
  ).unref();
  const watching = setInterval(abortIfLapsed, checkLapseMilliseconds).unref();
  const working = work();
  return {
    /** Looks for jobs immediately. */
    wake(): void {
      mayHaveOthers = true;
      wake();
    },
    /** Takes no more jobs; resolves when the running ones have ended. */
    async stop(): Promise<void> {
      isStopped = true;
      wake();
      await working;
      await Promise.all([...running].map(({ ended }) => ended));
      clearInterval(beating);
      clearInterval(watching);
    },
  };
}

function pauseAfter(lookStarted: number): number {
  return Math.min((performance.now() - lookStarted) * pausePerLookup, maxPauseMilliseconds);
}

interface TakeOptions {
  boss: PgBoss;
  database: Database;
  /** Without it, the node counts as lost only when the heartbeat of its jobs expires. */
  nodeId: string | undefined;
}

/** Takes the next job of a queue and records the node that took it, in one transaction. */
async function takeJob({ boss, database, nodeId }: TakeOptions, queue: string, ignoreGroups: string[]) {
  if (nodeId === undefined) return (await boss.fetch<object>(queue, { ignoreGroups }))[0];
  return database.acrossWorkspaces.transaction(async (tx) => {
    const [job] = await boss.fetch<object>(queue, { ignoreGroups, db: statementsOn(tx) });
    if (job) await jobStore.holdAcrossWorkspaces(tx, { ...job, queue, nodeId });
    return job;
  });
}
