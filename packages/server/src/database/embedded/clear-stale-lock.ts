import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, stat } from 'node:fs/promises';
import { ifPresent } from './if-present.ts';
import { isAlive, isPostmaster } from './is-postmaster.ts';

// PostgreSQL writes the file right after making it: one that stays empty is left from a crash of the machine.
const emptyForMilliseconds = 5000;

/**
 * Takes away a lock file of a server that is gone and whose process number belongs to another process now, as after
 * a restart of a container: PostgreSQL would refuse to start. (It handles the number of no process by itself.)
 */
export async function clearStaleLock(path: string, cluster: string): Promise<void> {
  const text = await ifPresent(readFile(path, 'utf8'));
  if (text === undefined || !(await isStale(path, text, cluster))) return;
  // Moved first and looked at again, so that the file of a server that has started since is not lost.
  const aside = `${path}.${randomBytes(4).toString('hex')}`;
  await ifPresent(rename(path, aside));
  const taken = await ifPresent(readFile(aside, 'utf8'));
  if (taken !== undefined && taken !== text) await link(aside, path);
  await rm(aside, { force: true });
}

async function isStale(path: string, text: string, cluster: string): Promise<boolean> {
  if (text.trim() === '') {
    const found = await ifPresent(stat(path));
    return found !== undefined && Date.now() - found.mtimeMs > emptyForMilliseconds;
  }
  const processId = Number.parseInt(text, 10);
  return processId > 0 && isAlive(processId) && !(await isPostmaster(processId, cluster));
}
