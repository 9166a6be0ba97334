import { readdir, readFile } from 'node:fs/promises';
import type { ProcessEntry } from './process-entry.ts';

export async function listOnLinux(marker: string): Promise<ProcessEntry[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries: ProcessEntry[] = [];
  for (const name of names) {
    const entry = await readEntry(Number(name), marker);
    if (entry) entries.push(entry);
  }
  return entries;
}

async function readEntry(pid: number, marker: string): Promise<ProcessEntry | undefined> {
  // A process that has ended since the folder was read is left out.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name of the program is in parentheses and may contain anything.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  // Processes of other users do not show their environment, and do not belong to a command of this daemon.
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  const isMarked = `\0${environment}`.includes(`\0${marker}\0`);
  return { pid, parent: Number(fields[1]), group: Number(fields[2]), isMarked };
}
