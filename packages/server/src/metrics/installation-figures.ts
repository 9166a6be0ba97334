import type { Database } from '../database/database.ts';
import type { Log } from '../lib/log.ts';
import { waitAtMost } from '../lib/wait-at-most.ts';
import { gaugeSnapshot, type MetricSnapshot, type Reading } from './meters.ts';
import { type FigureRow, metricsStore } from './metrics.store.ts';
import { databaseGauges } from './series.ts';

export interface InstallationFiguresOptions {
  database: Database;
  log: Log;
  now?: () => number;
}

export type InstallationFigures = ReturnType<typeof createInstallationFigures>;

/** However many programs ask, the database is asked this often at most. */
const keptMilliseconds = 10_000;
/** Includes the wait for a connection. */
const withinMilliseconds = 3_000;

/** What the database knows about all nodes and queues together. */
export function createInstallationFigures({
  database,
  log,
  now = () => performance.now(),
}: InstallationFiguresOptions) {
  let readAt = Number.NEGATIVE_INFINITY;
  let latest: Promise<FigureRow[] | undefined> = Promise.resolve(undefined);

  async function readNow(): Promise<FigureRow[] | undefined> {
    const reading = database.acrossWorkspaces.transaction(metricsStore.readFiguresAcrossWorkspaces);
    try {
      if (await waitAtMost(withinMilliseconds, reading)) return await reading;
      log.warn('The database takes too long to report its figures: they are left out.');
    } catch (error) {
      log.warn({ err: error }, 'The figures of the database could not be read: they are left out.');
    }
    // It may still fail, which was reported already.
    reading.catch(() => undefined);
    return undefined;
  }

  /** Undefined if the database did not answer. */
  function read(): Promise<FigureRow[] | undefined> {
    if (now() - readAt < keptMilliseconds) return latest;
    readAt = now();
    latest = readNow();
    return latest;
  }

  return {
    read,
    /** As series. Without the database only whether it answers. */
    async snapshot(): Promise<MetricSnapshot[]> {
      const rows = await read();
      const { up, ...others } = databaseGauges;
      const isUp = gaugeSnapshot(up, [{ value: rows ? 1 : 0 }]);
      if (!rows) return [isUp];
      const gauges = Object.entries(others).map(([gauge, series]) => {
        const [values = []] = Object.values<readonly string[]>(series.labels);
        // A queue that is empty is reported as such, so that a rule about it always has a value.
        const empty = values.map((label): Reading => ({ value: 0, labels: [label] }));
        const found = rows.filter((row) => row.gauge === gauge);
        return gaugeSnapshot(series, [
          ...empty,
          ...found.map(({ label, value }): Reading => ({ value, labels: [label] })),
        ]);
      });
      return [isUp, ...gauges];
    },
  };
}
