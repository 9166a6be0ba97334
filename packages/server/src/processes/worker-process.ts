import cluster, { type Worker } from 'node:cluster';
import type { ProcessHub } from '../bus/process-hub.ts';
import type { MetricSnapshot } from '../metrics/meters.ts';
import type { ProcessSnapshot } from '../metrics/scraper.ts';
import { createAnswers } from './answers.ts';
import type { FromWorker, ToWorker, WorkerReport, WorkerSettings } from './messages.ts';

export interface WorkerEnd {
  code: number | null;
  signal: string | null;
  /** The sentence of a worker that gave up. */
  reason: string | undefined;
  /** Known once it was open. */
  nodeId: string | undefined;
}

/** One process of the service, as its supervisor sees it. */
export interface WorkerProcess {
  readonly processId: number | undefined;
  /** Fails if the worker cannot listen, or ends. */
  listen(port: number): Promise<number>;
  /** Fails if the worker cannot open the service, or ends. */
  open(settings: WorkerSettings): Promise<WorkerReport>;
  /** Lets /readyz report that the service is ready. */
  serve(): void;
  /** Finishes the work in progress and ends. Repeated calls are harmless. */
  stop(): void;
  kill(): void;
  /** Undefined if it does not answer in time. */
  readMetrics(): Promise<MetricSnapshot[] | undefined>;
  readonly ended: Promise<WorkerEnd>;
}

/** A busy worker is waited for, because a scrape without it looks like a loss. Prometheus gives up after 10 seconds by default. */
const metricsMilliseconds = 5_000;

export function startWorkerProcess(
  hub: ProcessHub,
  /** The metrics of all workers. */
  collectMetrics: () => Promise<ProcessSnapshot[]>,
): WorkerProcess {
  const worker = cluster.fork();
  if (worker.process.pid === undefined) return neverStarted(worker);
  closeUnaccepted(worker);
  const listening = Promise.withResolvers<number>();
  const opened = Promise.withResolvers<WorkerReport>();
  const ended = Promise.withResolvers<WorkerEnd>();
  const metrics = createAnswers<MetricSnapshot[]>(metricsMilliseconds);
  let reason: string | undefined;
  let nodeId: string | undefined;
  let isOpening = false;
  const member = hub.add((items, written) => send({ kind: 'bus', items }, written));

  // A worker that is gone reads nothing; its end is reported by `ended`.
  function send(message: ToWorker, written: () => void = () => undefined): void {
    worker.process.send(message, undefined, undefined, written);
  }

  function kill(): void {
    worker.process.kill('SIGKILL');
  }

  function fail(error: Error): void {
    listening.reject(error);
    opened.reject(error);
  }
  // Failures count only for callers that wait for them.
  for (const { promise } of [listening, opened]) promise.catch(() => undefined);

  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'bus') member.receive(message.items);
    else if (message.kind === 'listening') listening.resolve(message.port);
    else if (message.kind === 'opened') {
      ({ nodeId } = message.report);
      opened.resolve(message.report);
    } else if (message.kind === 'metrics') metrics.receive(message.id, message.metrics);
    else if (message.kind === 'collect metrics')
      void collectMetrics().then((processes) => send({ kind: 'all metrics', id: message.id, processes }));
    else {
      ({ reason } = message);
      fail(new Error(reason));
    }
  });
  // A message that could not be sent: what counts is how the process ends.
  worker.on('error', () => undefined);
  worker.once('exit', (code: number | null, signal: string | null) => {
    member.remove();
    fail(new Error(`A process ended while the service was starting (${signal ?? `exit code ${code}`}).`));
    ended.resolve({ code, signal, reason, nodeId });
  });

  return {
    processId: worker.process.pid,
    listen(port) {
      send({ kind: 'listen', port });
      return listening.promise;
    },
    open(settings) {
      isOpening = true;
      send({ kind: 'open', settings });
      return opened.promise;
    },
    serve: () => send({ kind: 'serve' }),
    stop() {
      // Before that it has no work, and may still be loading its code.
      if (isOpening) send({ kind: 'stop' });
      else kill();
    },
    kill,
    // A worker that is not open yet does not answer.
    readMetrics: async () =>
      nodeId === undefined ? undefined : metrics.ask((id) => send({ kind: 'read metrics', id })),
    ended: ended.promise,
  };
}

/** Stands for a process that the system could not start, for lack of memory or file descriptors. */
function neverStarted(worker: Worker): WorkerProcess {
  const failure = new Promise<Error>((resolve) => worker.once('error', resolve));
  const refuse = async () => {
    throw new Error('A process could not be started.', { cause: await failure });
  };
  const ignore = () => undefined;
  const ended = failure.then(({ message }) => ({
    code: null,
    signal: null,
    reason: message,
    nodeId: undefined,
  }));
  return {
    processId: undefined,
    listen: refuse,
    open: refuse,
    serve: ignore,
    stop: ignore,
    kill: ignore,
    readMetrics: async () => undefined,
    ended,
  };
}

/** What the cluster module and its workers send each other. */
interface ClusterMessage {
  cmd?: string;
  act?: string;
  /** The number of a message. */
  seq?: number;
  /** The number of the message that is acknowledged. */
  ack?: number;
}

/**
 * Closes the connections that a worker was given but had not accepted when it died. Node's cluster module forgets them, so
 * their clients would wait until they give up. This relies on its messages, and a test fails when they change.
 */
function closeUnaccepted(worker: Worker): void {
  const child = worker.process;
  const unaccepted = new Set<number>();
  const send = child.send.bind(child) as (...given: unknown[]) => boolean;
  child.send = (...given: unknown[]) => {
    const { cmd, act, seq } = given[0] as ClusterMessage;
    if (cmd === 'NODE_CLUSTER' && act === 'newconn' && seq !== undefined) unaccepted.add(seq);
    return send(...given);
  };
  child.on('internalMessage', ({ cmd, ack }: ClusterMessage) => {
    if (cmd === 'NODE_CLUSTER' && ack !== undefined) unaccepted.delete(ack);
  });
  // The process has ended and nothing more arrives from it.
  child.once('close', () => {
    if (unaccepted.size === 0) return;
    // While a connection is on its way, Node does not report this, and would give further ones to the dead worker.
    child.emit('disconnect');
    for (const ack of unaccepted) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: true });
  });
}
