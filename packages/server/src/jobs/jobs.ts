import type { PgBoss } from 'pg-boss';
import type { Database, Queryable, Transaction } from '../database/database.ts';
import { secureJobs } from '../database/row-level-security.ts';
import type { Log } from '../lib/log.ts';
import { waitAtMost } from '../lib/wait-at-most.ts';
import type { Presence } from '../nodes/presence.ts';
import { createBoss, deadLetterQueue, ensureDeadLetterQueue, statementsOn } from './boss.ts';
import { retryDeadLetter } from './dead-letters.ts';
import { type FailedRow, jobStore } from './jobs.store.ts';
import { type JobHandler, type JobQueue, ServiceStopped } from './queue.ts';
import { type QueueWorker, startQueueWorker } from './queue-worker.ts';

export interface JobsOptions {
  database: Database;
  log: Log;
  /** The node that takes the jobs. Without it, its jobs are recovered only when their heartbeat expires. */
  presence?: Pick<Presence, 'nodeId' | 'hasLapsed'>;
  /** How often each queue is polled. Notifications announce new jobs, so this decides only how exact retries are. */
  pollSeconds?: number;
}

export interface Jobs {
  /** Sets the handler for the jobs of a queue. Call it before `start`. */
  define<Data extends object>(queue: JobQueue<Data>, handler: JobHandler<Data>): void;
  /** Enqueues a job if, and only if, the transaction commits. The queue must be defined. */
  enqueue<Data extends object>(
    tx: Transaction,
    queue: JobQueue<Data>,
    data: Data,
    options?: EnqueueOptions,
  ): Promise<void>;
  /** The data of jobs that are waiting or running and that contain all of `like`. */
  listUnfinished<Data extends object>(
    query: Queryable,
    queue: JobQueue<Data>,
    like?: Partial<Data>,
  ): Promise<Data[]>;
  /** A workspace's permanently failed jobs, newest first; `before` is the cursor of the last one that was shown. */
  listFailed(workspaceId: string, page: { limit: number; before?: string | undefined }): Promise<FailedRow[]>;
  /** Puts one of them back into its queue as a new job; false when the workspace has none with this id. */
  retryFailed(tx: Transaction, workspaceId: string, jobId: string): Promise<boolean>;
  /** Creates or migrates the tables, returns the jobs of lost nodes to their queues, and starts to work. */
  start(): Promise<void>;
  /** Returns the jobs of lost nodes to their queues. Called periodically. */
  returnAbandoned(): Promise<void>;
  /** Looks for jobs immediately: a node that stopped may have put some back. */
  wake(): void;
  /**
   * Takes no more jobs and waits for running ones; after the grace period it aborts the rest and puts them back.
   * Harmless when repeated, or called before the start.
   */
  stop(graceMilliseconds: number): Promise<void>;
}

export interface EnqueueOptions {
  startAfter?: Date;
  /** For queues that take one job per key. */
  key?: string;
}

interface Definition {
  queue: JobQueue<object>;
  handler: JobHandler<object>;
}

/** The jobs of a node without a known presence are recovered after this long, rather than when they expire. */
const heartbeatSeconds = 30;
/** We time out attempts ourselves; pg-boss only has to end those that a lost node left behind. */
const spareSeconds = 10;
const abortedWithinMilliseconds = 1_000;
/** How often each queue is polled while notifications do not arrive. */
const unnotifiedPollSeconds = 2;

/** Background work that survives a crash: stored in PostgreSQL, retried with growing delays, and finally a dead letter. */
export function createJobs({ database, log, presence, pollSeconds = 5 }: JobsOptions): Jobs {
  const definitions: Definition[] = [];
  const workers = new Map<string, QueueWorker>();
  const stopping = new AbortController();
  let isStarted = false;
  let isListening = false;
  const boss = createBoss({
    database,
    log,
    works: true,
    onJob(queue) {
      if (queue !== undefined) workers.get(queue)?.wake();
      else wakeAll();
    },
    onListening(listening) {
      isListening = listening;
    },
  });
  const pollMilliseconds = () =>
    (isListening ? pollSeconds : Math.min(unnotifiedPollSeconds, pollSeconds)) * 1000;

  function wakeAll(): void {
    for (const worker of workers.values()) worker.wake();
  }

  async function work({ queue, handler }: Definition): Promise<void> {
    const options = {
      retryLimit: queue.retryLimit,
      retryDelay: queue.retryDelaySeconds,
      retryDelayMax: queue.retryDelayMaxSeconds,
      retryBackoff: true,
      expireInSeconds: queue.expireSeconds + spareSeconds,
      heartbeatSeconds,
      deadLetter: deadLetterQueue,
      notify: true,
    };
    await boss.createQueue(queue.name, { ...options, policy: queue.onePerKey ? 'exclusive' : 'standard' });
    // createQueue does not change the settings of an existing queue.
    await boss.updateQueue(queue.name, options);
    workers.set(
      queue.name,
      startQueueWorker({
        boss,
        database,
        presence,
        queue,
        handler,
        stopping: stopping.signal,
        log,
        heartbeatSeconds,
        pollMilliseconds,
      }),
    );
  }

  return {
    define: (queue, handler) => {
      // pg-boss hands back the data that `enqueue` was given for this queue.
      definitions.push({ queue, handler: handler as JobHandler<object> });
    },

    async enqueue(tx, queue, data, { key, ...options } = {}) {
      const singleton = key === undefined ? {} : { singletonKey: key };
      const group = 'workspaceId' in data ? { group: { id: String(data.workspaceId) } } : {};
      await boss.send(queue.name, data, { ...options, ...singleton, ...group, db: statementsOn(tx) });
    },

    async listUnfinished<Data extends object>(query: Queryable, queue: JobQueue<Data>, like = {}) {
      return (await jobStore.listUnfinishedAcrossWorkspaces(query, queue.name, like)) as Data[];
    },

    listFailed: (workspaceId, page) => jobStore.listFailed(database.within(workspaceId), workspaceId, page),

    async retryFailed(tx, workspaceId, jobId) {
      return (await jobStore.hasFailed(tx, workspaceId, jobId)) && retryDeadLetter(tx, boss, jobId);
    },

    async start() {
      isStarted = true;
      await boss.start();
      await ensureDeadLetterQueue(boss);
      await secureJobs(database.acrossWorkspaces);
      await jobStore.groupWaitingAcrossWorkspaces(database.acrossWorkspaces);
      await returnAbandoned({ boss, database });
      for (const definition of definitions) await work(definition);
    },

    async returnAbandoned() {
      const queues = await returnAbandoned({ boss, database });
      for (const queue of queues) workers.get(queue)?.wake();
    },

    wake: wakeAll,

    async stop(graceMilliseconds) {
      if (!isStarted) return;
      isStarted = false;
      const ended = Promise.all([...workers.values()].map((worker) => worker.stop()));
      await waitAtMost(graceMilliseconds, ended);
      stopping.abort(new ServiceStopped('The service was stopped in the middle of this job.'));
      await waitAtMost(abortedWithinMilliseconds, ended);
      await boss.stop({ graceful: false, close: false });
    },
  };
}

const reason = 'The process that ran this job ended before it was done.';

/**
 * Returns the jobs of lost nodes to their queues, to be taken immediately. The attempt counts, so that a job that kills every
 * process it runs in becomes a dead letter. Returns the names of the queues.
 */
function returnAbandoned({ boss, database }: { boss: PgBoss; database: Database }): Promise<string[]> {
  return database.acrossWorkspaces.transaction(async (tx) => {
    const abandoned = await jobStore.takeAbandonedAcrossWorkspaces(tx);
    const byQueue = Map.groupBy(abandoned, ({ queue }) => queue);
    for (const [queue, held] of byQueue) {
      const jobs = held.map(({ jobId, attempt }) => ({ id: jobId, retryCount: attempt }));
      await boss.fail(queue, jobs, { message: reason, reason }, { db: statementsOn(tx) });
      await jobStore.retryNowAcrossWorkspaces(tx, queue, jobs);
    }
    return [...byQueue.keys()];
  });
}
