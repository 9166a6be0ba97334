import cluster from 'node:cluster';
import type { Bus } from '../bus/bus.ts';
import { createProcessHub } from '../bus/process-hub.ts';
import { connectToHub } from '../bus/process-transport.ts';
import { type Config, unknownVariables } from '../config/config.ts';
import { canServe, poolSizeFor, readAllowedConnections } from '../database/database-connections.ts';
import { type OpenedDatabase, openConfiguredDatabase } from '../database/open-configured-database.ts';
import { createLog } from '../lib/log.ts';
import { anyNode, nodeGone } from '../nodes/node-gone.ts';
import { forgetAllNodes, forgetNode } from '../nodes/presence.ts';
import { openBus } from '../wiring/open-bus.ts';
import { closeIfOpened } from './close-if-opened.ts';
import { createCrew } from './crew.ts';
import { say } from './say.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import { supervisorStopMilliseconds } from './stop-times.ts';
import { welcome } from './welcome.ts';
import { startWorkerProcess } from './worker-process.ts';

/**
 * Runs the service in several processes behind one port: owns the database, carries messages between the workers, and
 * replaces those that end. It serves no requests itself.
 */
export async function supervise(config: Config): Promise<void> {
  const log = createLog({ level: config.logLevel, readable: process.stdout.isTTY, processId: process.pid });
  for (const name of unknownVariables()) say(`${name} is not a variable of this service. Is it misspelt?`);

  cluster.setupPrimary({ serialization: 'advanced', windowsHide: true });
  const hub = createProcessHub();
  const crew = createCrew(log, (collectMetrics) => startWorkerProcess(hub, collectMetrics));
  const cleanUp = stopOnSignals({
    log,
    withinMilliseconds: supervisorStopMilliseconds,
    onSecondSignal: crew.kill,
  });
  const stopping = new AbortController();
  let opening: Promise<OpenedDatabase> | undefined;
  cleanUp.add(async () => {
    stopping.abort();
    if (opening) await closeIfOpened(opening, (opened) => opened.close());
  });
  let bus: Bus | undefined;
  cleanUp.add(async () => bus?.close());
  cleanUp.add(crew.stop);
  try {
    const workers = crew.start(config.processes);
    // Until the port is known to be free, the database is left alone.
    const [port = config.port] = await Promise.all(workers.map((worker) => worker.listen(config.port)));
    opening = openConfiguredDatabase({
      config,
      role: 'service',
      onProgress: say,
      signal: stopping.signal,
      onConnectionError: (error) => log.warn({ err: error }, 'A database connection was lost.'),
    });
    const { database, connection, keyRing } = await opening;
    const opened = openBus({ config, keyRing, transport: connectToHub(hub), log });
    bus = opened;
    // No other process uses the embedded database.
    if (config.databaseUrl === undefined) await forgetAllNodes(database);
    const allowed = await readAllowedConnections(database);
    const maxConnections = poolSizeFor(config.processes, allowed);
    if (!canServe(config.processes, allowed))
      log.warn({ max_connections: allowed }, 'PostgreSQL allows too few connections for SVC_PROCESSES.');
    const settings = { connection, maxConnections, reach: hub.reach };
    const reports = await Promise.all(workers.map((worker) => worker.open(settings)));
    for (const worker of workers) worker.serve();

    const listening = new Set(workers);
    for (const worker of workers) void worker.ended.then(() => listening.delete(worker));
    let sharedPort = config.port;
    crew.keep(workers, {
      async enlist(worker) {
        await worker.open(settings);
        worker.serve();
        // Workers that request the same port share one socket, even if it is 0. It is closed with the last of them: then
        // the port that the system had chosen has to be requested.
        if (listening.size === 0) sharedPort = port;
        await worker.listen(sharedPort);
        listening.add(worker);
        void worker.ended.then(() => listening.delete(worker));
      },
      onLost({ nodeId }) {
        if (nodeId === undefined) return;
        forgetNode(database, nodeId)
          .catch((error: unknown) =>
            log.warn({ err: error }, 'A process that has ended could not be removed.'),
          )
          .finally(() => opened.publish(nodeGone, anyNode, nodeId));
      },
    });
    const [first] = reports;
    const firstKey = reports.find((report) => report.firstKey !== undefined)?.firstKey;
    if (first) {
      const { setUpLink, models, metricsPort } = first;
      const app = { firstKey, setUpLink, models, metricsPort };
      say(await welcome({ config, port, app, isTerminal: process.stdout.isTTY }));
    }
  } catch (error) {
    await cleanUp.run();
    throw error;
  }
}
