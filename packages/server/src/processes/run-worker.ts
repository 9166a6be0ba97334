import cluster from 'node:cluster';
import type { RequestListener } from 'node:http';
import { type App, createApp } from '../app.ts';
import { createProcessTransport, type ProcessTransport } from '../bus/process-transport.ts';
import type { Config } from '../config/config.ts';
import { openSharedDatabase } from '../database/open-configured-database.ts';
import { answerWhileStarting, createFrontDoor, type FrontDoor } from '../http/front-door.ts';
import { systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import type { ProcessSnapshot } from '../metrics/scraper.ts';
import { createAnswers } from './answers.ts';
import { closeIfOpened } from './close-if-opened.ts';
import { explainError } from './explain-error.ts';
import { listen } from './listen.ts';
import type { FromWorker, ToWorker, WorkerSettings } from './messages.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import { workerStopMilliseconds } from './stop-times.ts';

/** Longer than the supervisor waits for each worker. */
const metricsMilliseconds = 6_000;

/** One of several processes that serve the same port: does what its supervisor requests. */
export function runWorker(config: Config): void {
  const log = createLog({ level: config.logLevel, readable: process.stdout.isTTY, processId: process.pid });
  const { door, release } = holdReadiness(createFrontDoor());
  const cleanUp = stopOnSignals({ log, door, withinMilliseconds: workerStopMilliseconds });
  let transport: ProcessTransport | undefined;
  let app: App | undefined;
  const metrics = createAnswers<ProcessSnapshot[]>(metricsMilliseconds);

  process.on('message', (message: ToWorker) => {
    if (message.kind === 'bus') transport?.receive(message.items);
    else if (message.kind === 'listen') attempt(() => beginToListen(message.port));
    else if (message.kind === 'open') attempt(() => open(message.settings));
    else if (message.kind === 'serve') release();
    else if (message.kind === 'read metrics') sendMetrics(message.id);
    else if (message.kind === 'all metrics') metrics.receive(message.id, message.processes);
    // The supervisor has logged it.
    else cleanUp.stop();
  });
  // The launcher's module has told Node not to wait for messages, and there may be nothing else to wait for yet.
  process.channel?.ref();
  cluster.worker?.once('disconnect', () => {
    // Otherwise Node ends this process on the spot.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
    transport?.disconnect();
    cleanUp.stop('The supervisor is gone.');
  });

  function attempt(work: () => Promise<void>): void {
    work().catch(async (error: unknown) => {
      // Only the supervisor prints the reason, because several processes may fail for the same one.
      await new Promise<void>((written) => send({ kind: 'failed', reason: explainError(error) }, written));
      // A database that hangs must not keep this process, or another could not take its place.
      setTimeout(() => process.exit(1), workerStopMilliseconds);
      await cleanUp.run();
      process.exit(1);
    });
  }

  async function beginToListen(port: number): Promise<void> {
    send({ kind: 'listening', port: (await listen(door, port, config.host)).port });
  }

  async function open({ connection, maxConnections, reach }: WorkerSettings): Promise<void> {
    transport = createProcessTransport({
      reach,
      post: (items, written) => send({ kind: 'bus', items }, written),
    });
    const opened = await openSharedDatabase({
      config,
      connection,
      maxConnections,
      onConnectionError: (error) => log.warn({ err: error }, 'A database connection was lost.'),
    });
    cleanUp.add(() => opened.close());
    const creating = createApp({
      ...opened,
      config,
      door,
      log,
      clock: systemClock,
      transport,
      collectMetrics,
    });
    cleanUp.add(() => closeIfOpened(creating, (created) => created.stop()));
    app = await creating;
    const { nodeId, firstKey, setUpLink, models, metricsPort } = app;
    send({ kind: 'opened', report: { nodeId, firstKey, setUpLink, models, metricsPort } });
  }

  async function collectMetrics(): Promise<ProcessSnapshot[]> {
    const collected = await metrics.ask((id) => send({ kind: 'collect metrics', id }));
    if (!collected) throw new Error('The supervisor did not report the metrics of all processes in time.');
    return collected;
  }

  function sendMetrics(id: number): void {
    app?.readMetrics().then(
      (read) => send({ kind: 'metrics', id, metrics: read }),
      (error: unknown) => log.error({ err: error }, 'The metrics of this process could not be read.'),
    );
  }

  function send(message: FromWorker, written: () => void = () => undefined): void {
    // Without a supervisor this process is stopping, and does not need to report.
    if (process.connected) process.send?.(message, undefined, undefined, written);
    else written();
  }
}

/**
 * Keeps /readyz at 503 until it is released. Requests go to any process of the service, so none may report that it is ready
 * before all of them are.
 */
function holdReadiness(door: FrontDoor) {
  let isReleased = false;
  let service: RequestListener | undefined;
  return {
    door: {
      ...door,
      open(listener: RequestListener) {
        service = listener;
        if (isReleased) return door.open(listener);
        door.open((request, response) => {
          if (request.url?.split('?')[0] === '/readyz') answerWhileStarting(request, response);
          else listener(request, response);
        });
      },
    },
    /** From now on the service answers /readyz itself. */
    release(): void {
      isReleased = true;
      if (service) door.open(service);
    },
  };
}
