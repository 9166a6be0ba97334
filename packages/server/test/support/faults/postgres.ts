import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findRunningPostmaster } from '../../../src/database/embedded/postmaster.ts';

export interface Freeze {
  thaw(): void;
}

/** Stops every process of an embedded PostgreSQL: connections stay open and nothing answers. */
export async function freezePostgres(dataDirectory: string): Promise<Freeze> {
  const postmaster = await findRunningPostmaster(join(dataDirectory, 'postgres'));
  if (postmaster === undefined) throw new Error('No server runs.');
  // The postmaster first, so that it starts no backend while the others are being found.
  process.kill(postmaster, 'SIGSTOP');
  const frozen = [postmaster, ...(await childrenOf(postmaster))];
  for (const id of frozen.slice(1)) signal(id, 'SIGSTOP');
  return { thaw: () => frozen.forEach((id) => signal(id, 'SIGCONT')) };
}

async function childrenOf(parent: number): Promise<number[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(
    processes.map(async (id) => {
      const status = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
      // The name in parentheses may contain anything; the state and the parent follow it.
      return Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]);
    }),
  );
  return processes.filter((_, index) => parents[index] === parent).map(Number);
}

function signal(id: number, name: NodeJS.Signals): void {
  try {
    process.kill(id, name);
  } catch (error) {
    // A backend may end between being found and being signalled.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
