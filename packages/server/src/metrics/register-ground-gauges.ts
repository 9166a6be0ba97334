import { statfs } from 'node:fs/promises';
import type { Database } from '../database/database.ts';
import { errorCode } from '../lib/error-code.ts';
import type { Log } from '../lib/log.ts';
import type { Meters } from './meters.ts';

/** What every process can be asked: its connections to the database, and the disk that it writes to. */
export function registerGroundGauges(
  meters: Meters,
  { database, dataDirectory, log }: { database: Database; dataDirectory: string; log: Log },
): void {
  const ofPools = (read: (pool: ReturnType<Database['pools']>[number]) => number, ...labels: string[]) =>
    database.pools().map((pool) => ({ value: read(pool), labels: [pool.pool, ...labels] }));
  meters.gauge('poolConnections', () => [
    ...ofPools(({ inUse }) => inUse, 'in_use'),
    ...ofPools(({ idle }) => idle, 'idle'),
  ]);
  meters.gauge('poolWaiting', () => ofPools(({ waiting }) => waiting));
  meters.gauge('poolWaits', () => ofPools(({ waits }) => waits));
  const readDisk = createDiskReader(dataDirectory, log);
  meters.gauge('diskFree', async () => toReading((await readDisk())?.free));
  meters.gauge('diskSize', async () => toReading((await readDisk())?.size));
}

function toReading(value: number | undefined) {
  return value === undefined ? [] : [{ value }];
}

/** Returns undefined if there is no data directory, as with a database elsewhere, or if it cannot be read, which is logged once. */
function createDiskReader(path: string, log: Log) {
  let isReported = false;
  return async (): Promise<{ free: number; size: number } | undefined> => {
    try {
      const { bavail, blocks, bsize } = await statfs(path);
      return { free: bavail * bsize, size: blocks * bsize };
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || isReported) return undefined;
      isReported = true;
      log.warn({ err: error }, 'The free space of the disk cannot be read: it is left out of the metrics.');
      return undefined;
    }
  };
}
