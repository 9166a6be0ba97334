import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessSnapshot } from '../metrics/scraper.ts';
import type { Services } from '../services.ts';
import { createReplacementPause } from './replacement-pause.ts';
import { workerKillMilliseconds } from './stop-times.ts';
import type { WorkerEnd, WorkerProcess } from './worker-process.ts';

export interface KeepOptions {
  /** Makes a new worker part of the service. */
  enlist(worker: WorkerProcess): Promise<void>;
  /** Called when a worker has ended without handing over its work. */
  onLost(end: WorkerEnd): void;
}

/** The workers of a supervisor. */
export function createCrew(
  log: Services['log'],
  /** Is given a function that returns the metrics of all workers. */
  startWorker: (collectMetrics: () => Promise<ProcessSnapshot[]>) => WorkerProcess,
) {
  /** With their places, which successors take. */
  const running = new Map<WorkerProcess, number>();
  let places = 0;
  const stopping = new AbortController();

  function start(place: number): WorkerProcess {
    const worker = startWorker(collectMetrics);
    running.set(worker, place);
    void worker.ended.then(() => running.delete(worker));
    return worker;
  }

  /** The metrics of all places. A worker that does not answer has none, and neither has a place that is empty at the moment. */
  function collectMetrics(): Promise<ProcessSnapshot[]> {
    const asked = Array.from({ length: places }, async (_none, index) => {
      const [worker] = [...running].find(([, place]) => place === index + 1) ?? [];
      return { process: index + 1, metrics: await worker?.readMetrics() };
    });
    return Promise.all(asked);
  }

  /** Replaces a worker whenever it ends. */
  async function keepRunning(
    first: WorkerProcess,
    place: number,
    { enlist, onLost }: KeepOptions,
  ): Promise<void> {
    const pause = createReplacementPause();
    let worker = first;
    for (;;) {
      const startedAt = performance.now();
      const end = await worker.ended;
      if (stopping.signal.aborted) return;
      const isLost = end.code !== 0;
      const pauseMilliseconds = isLost ? pause.afterFailure(performance.now() - startedAt) : 0;
      report(worker, end, pauseMilliseconds);
      if (isLost) onLost(end);
      if (pauseMilliseconds > 0) await delay(pauseMilliseconds, undefined, { signal: stopping.signal });
      worker = start(place);
      // A worker that cannot be enlisted ends, and says why.
      enlist(worker).then(
        () => log.info({ process_id: worker.processId }, 'A new process is part of the service.'),
        () => undefined,
      );
    }
  }

  function report(worker: WorkerProcess, { code, signal, reason }: WorkerEnd, pause: number): void {
    const fields = { process_id: worker.processId, exit_code: code, signal, reason };
    if (code === 0) log.info(fields, 'A process of the service was stopped; another one takes its place.');
    else if (pause === 0) log.error(fields, 'A process of the service ended; another one takes its place.');
    else
      log.error(fields, `A process of the service ended again; the next one starts in ${pause / 1_000} s.`);
  }

  function kill(): void {
    for (const worker of running.keys()) worker.kill();
  }

  return {
    start(count: number): WorkerProcess[] {
      places = count;
      return Array.from({ length: count }, (_none, index) => start(index + 1));
    },
    /** Replaces these workers when they end, and their successors, until all are stopped. */
    keep(workers: readonly WorkerProcess[], options: KeepOptions): void {
      for (const [index, worker] of workers.entries()) {
        keepRunning(worker, index + 1, options).catch((error: unknown) => {
          if (!stopping.signal.aborted) throw error;
        });
      }
    },
    /** Lets all workers finish their work in progress and kills those that are stuck. Sets the exit code if work was left behind. */
    async stop(): Promise<void> {
      stopping.abort();
      for (const worker of running.keys()) worker.stop();
      const timer = setTimeout(() => {
        log.error('Some processes did not stop in time and are killed.');
        process.exitCode = 1;
        kill();
      }, workerKillMilliseconds);
      while (running.size > 0) {
        const ends = await Promise.all([...running.keys()].map(({ ended }) => ended));
        if (ends.some(({ code }) => code)) process.exitCode = 1;
      }
      clearTimeout(timer);
    },
    kill,
  };
}
