import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, PgBoss } from 'pg-boss';
import type { Database } from '../database/database.ts';
import { type RunOptions, runJob } from './run-job.ts';
import { jobStore } from './store.ts';
import { whomToPassOver } from './whose-turn.ts';

export interface QueueWorkerOptions extends RunOptions {
  boss: PgBoss;
  database: Database;
  /** A node that died is noticed after this long. */
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

/**
 * Works on one queue. Each job has a place of its own, so that a slow one holds up nobody, and workspaces share the places
 * fairly. pg-boss's own workers run batches that end together, and give all places to whoever asked for most.
 */
export function startQueueWorker(options: QueueWorkerOptions): QueueWorker {
  const { boss, queue, database, log } = options;
  const { places, perWorkspace } = queue.places ?? usualPlaces;
  const running = new Map<string, Running>();
  let mayHaveOthers = true;
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
    for (const { job } of running.values()) {
      if (job.groupId) counts.set(job.groupId, (counts.get(job.groupId) ?? 0) + 1);
    }
    return counts;
  }

  async function take(): Promise<Job | undefined> {
    const started = performance.now();
    const looksForOthers = mayHaveOthers && started >= nextLookAt;
    const shares = { running: countRunning(), perWorkspace, mayHaveOthers: looksForOthers };
    // Before it looks: news that arrives meanwhile is not missed.
    if (looksForOthers) mayHaveOthers = false;
    for (const [look, ignoreGroups] of whomToPassOver(shares).entries()) {
      const [job] = await boss.fetch<object>(queue.name, { ignoreGroups });
      // Where one was found at the first look there may be more.
      if (job && look === 0) mayHaveOthers ||= looksForOthers;
      if (job) return job;
      nextLookAt = performance.now() + pauseAfter(started);
    }
    return undefined;
  }

  async function fillPlaces(): Promise<void> {
    while (!isStopped && running.size < places) {
      const started = performance.now();
      const job = await take();
      if (!job) return sleep(pauseAfter(started));
      const lost = new AbortController();
      running.set(job.id, { job, lost, ended: finish(job, lost.signal) });
    }
  }

  async function finish(job: Job, lost: AbortSignal): Promise<void> {
    const outcome = await runJob(job, lost, options);
    try {
      if (outcome.status === 'hopeless') await jobStore.forbidRetriesAcrossWorkspaces(database.query, job);
      if (outcome.status === 'completed') await boss.complete(queue.name, job);
      else await boss.fail(queue.name, job, { message: outcome.message });
    } catch (error) {
      // Its heartbeat ends, and with that it is tried again.
      log.warn({ err: error, queue: queue.name, job_id: job.id }, 'What came of a job could not be written.');
    }
    running.delete(job.id);
    wake();
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
    const held = [...running.values()].filter(({ lost }) => !lost.signal.aborted);
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

  const beating = setInterval(() => void beat(), options.heartbeatSeconds * 500).unref();
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
      await Promise.all([...running.values()].map(({ ended }) => ended));
      clearInterval(beating);
    },
  };
}

function pauseAfter(lookStarted: number): number {
  return Math.min((performance.now() - lookStarted) * pausePerLook, longestPauseMilliseconds);
}
