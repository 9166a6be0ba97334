import { statfs } from 'node:fs/promises';
import type { Database } from '../database/database.ts';
import { errorCode } from '../lib/error-code.ts';
import type { Meters } from './meters.ts';

/** What every process can be asked: its connections to the database, and the disk that it writes to. */
export function registerGroundGauges(
  meters: Meters,
  { database, dataDirectory }: { database: Database; dataDirectory: string },
): void {
  const ofPools = (read: (pool: ReturnType<Database['pools']>[number]) => number, ...labels: string[]) =>
    database.pools().map((pool) => ({ value: read(pool), labels: [pool.pool, ...labels] }));
  meters.gauge('poolConnections', () => [
    ...ofPools(({ inUse }) => inUse, 'in_use'),
    ...ofPools(({ idle }) => idle, 'idle'),
  ]);
  meters.gauge('poolWaiting', () => ofPools(({ waiting }) => waiting));
  meters.gauge('poolWaits', () => ofPools(({ waits }) => waits));
  meters.gauge('diskFree', async () => toReading((await readDisk(dataDirectory))?.free));
  meters.gauge('diskSize', async () => toReading((await readDisk(dataDirectory))?.size));
}

function toReading(value: number | undefined) {
  return value === undefined ? [] : [{ value }];
}

/** Undefined if there is no data directory, as with a database elsewhere. */
async function readDisk(path: string): Promise<{ free: number; size: number } | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(path);
    return { free: bavail * bsize, size: blocks * bsize };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
