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

interface Answer {
  isUp: boolean;
  rows: FigureRow[] | undefined;
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
  let latest: Promise<Answer> | undefined;

  /** The connection for urgent statements is not used by requests, so a full pool does not look like a lost database. */
  async function ask(): Promise<Answer> {
    const [answered, rows] = await Promise.all([
      inTime(database.urgent.raw('select 1')),
      inTime(database.acrossWorkspaces.transaction(metricsStore.readFiguresAcrossWorkspaces)),
    ]);
    return { isUp: answered !== undefined, rows };
  }

  /** Undefined if it failed or took too long. */
  async function inTime<Result>(reading: Promise<Result>): Promise<Result | undefined> {
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

  function askSometimes(): Promise<Answer> {
    if (latest && now() - readAt < keptMilliseconds) return latest;
    readAt = now();
    latest = ask();
    return latest;
  }

  return {
    /** Undefined if they could not be read. */
    read: async (): Promise<FigureRow[] | undefined> => (await askSometimes()).rows,
    /** As series. Without the figures only whether the database answers. */
    async snapshot(): Promise<MetricSnapshot[]> {
      const { isUp: answers, rows } = await askSometimes();
      const { up, ...others } = databaseGauges;
      const isUp = gaugeSnapshot(up, [{ value: answers ? 1 : 0 }]);
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
