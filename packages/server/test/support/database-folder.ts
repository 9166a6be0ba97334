import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const memory = '/dev/shm';
const neededBytes = 8 * 1024 ** 3;

/** Where databases are kept: in memory if there is room, because copying hundreds of them on a disk keeps the kernel busy. */
export const databaseFolder = existsSync(memory) && freeBytes(memory) >= neededBytes ? memory : tmpdir();

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
