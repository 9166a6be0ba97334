import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, PgBoss } from 'pg-boss';
import type { Database } from '../database/database.ts';
import type { Presence } from '../nodes/presence.ts';
import { type RunOptions, runJob } from './run-job.ts';
import { settleJob } from './settle-job.ts';
import { jobStore } from './store.ts';
import { takeJob } from './take-job.ts';
import { whomToPassOver } from './whose-turn.ts';

export interface QueueWorkerOptions extends RunOptions {
  boss: PgBoss;
  database: Database;
  /** As whom this node takes jobs. */
  presence: Pick<Presence, 'nodeId' | 'hasLapsed'> | undefined;
  /** A node of which nothing is known is given up after this long. */
  heartbeatSeconds: number;
  /** How long to wait before looking again, when nothing was heard. */
  pollMilliseconds(): number;
}

export interface QueueWorker {
  /** There may be a job. */
  wake(): void;
  /** Takes no more jobs; resolves when those under way have ended. */
  stop(): Promise<void>;
}

interface Running {
  job: Job;
  lost: AbortController;
  ended: Promise<void>;
}

const usualPlaces = { places: 12, perWorkspace: 9 };
/** Whoever asks for very much makes each look longer; news of it must not make us look all the time. */
const pausePerLook = 10;
const longestPauseMilliseconds = 1_000;
/** How many times a heartbeat is given before it counts as missed. */
const beatsPerHeartbeat = 6;
const lookForLapseMilliseconds = 1_000;

/**
 * Works on one queue. Each job has a place of its own, so that a slow one holds up nobody, and workspaces share the places
 * fairly. pg-boss's own workers run batches that end together, and give all places to whoever asked for most.
 */
export function startQueueWorker(options: QueueWorkerOptions): QueueWorker {
  const { boss, queue, database, presence, log } = options;
  const taking = { boss, database, nodeId: presence?.nodeId };
  const { places, perWorkspace } = queue.places ?? usualPlaces;
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
    // Nobody tells of retries and delayed jobs that have become due, and a busy queue has no rest in which to look.
    const isDue = started - lookedForOthersAt >= options.pollMilliseconds();
    const looksForOthers = (mayHaveOthers || isDue) && started >= nextLookAt;
    if (!looksForOthers) return look(false);
    // Before it looks: news that arrives meanwhile is not missed.
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
    for (const [place, ignoreGroups] of whomToPassOver(shares).entries()) {
      const job = await takeJob(taking, queue.name, ignoreGroups);
      const isForOthers = forOthers && place === 0;
      // Where one was found there may be more.
      if (job && isForOthers) mayHaveOthers = true;
      if (job) return job;
      if (isForOthers) nextLookAt = performance.now() + pauseAfter(started);
    }
    return undefined;
  }

  async function fillPlaces(): Promise<void> {
    // Others would take away at once what a node takes that they believe to be gone.
    while (!isStopped && running.size < places && !presence?.hasLapsed()) {
      const started = performance.now();
      const job = await take();
      if (!job) return sleep(pauseAfter(started));
      begin(job);
    }
  }

  function begin(job: Job): void {
    // We were thought dead, and have taken back our own job: the earlier attempt makes way first.
    const earlier = [...running].filter((one) => one.job.id === job.id);
    for (const { lost } of earlier) lost.abort(new Error('This job was taken up anew.'));
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
      try {
        await fillPlaces();
      } catch (error) {
        log.warn({ err: error, queue: queue.name }, 'Background work met an error; it goes on.');
      }
      if (!isAwake && !isStopped) await rest();
    }
  }

  function rest(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        mayHaveOthers = true;
        resolve();
      }, options.pollMilliseconds());
      rouse = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Says that we live, and gives up what somebody else has taken over. */
  async function beat(): Promise<void> {
    const held = [...running].filter(({ lost }) => !lost.signal.aborted);
    if (held.length === 0) return;
    const jobs = held.map(({ job }) => job);
    try {
      await boss.touch(queue.name, jobs);
      const ours = new Set(await jobStore.listHeldAcrossWorkspaces(database.query, jobs));
      for (const { job, lost } of held) {
        if (!ours.has(job.id)) lost.abort(new Error('Another node has taken over this job.'));
      }
    } catch (error) {
      log.warn({ err: error, queue: queue.name }, 'Background work met an error; it goes on.');
    }
  }

  /** Others may believe that this node is gone: whatever they are about to take over ends here first. */
  function giveUpLapsed(): void {
    if (!presence?.hasLapsed()) return;
    for (const { lost } of running) lost.abort(new Error('This node could not say in time that it lives.'));
  }

  const beating = setInterval(
    () => void beat(),
    (options.heartbeatSeconds * 1000) / beatsPerHeartbeat,
  ).unref();
  const watching = setInterval(giveUpLapsed, lookForLapseMilliseconds).unref();
  const working = work();
  return {
    wake() {
      mayHaveOthers = true;
      wake();
    },
    async stop() {
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
  return Math.min((performance.now() - lookStarted) * pausePerLook, longestPauseMilliseconds);
}
