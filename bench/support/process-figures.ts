import { readFile } from 'node:fs/promises';

/** Linux counts a process's time in hundredths of a second. */
const millisecondsPerTick = 10;

/** The processor time a process has used so far; undefined where the system does not tell it by file. */
export async function processorMilliseconds(pid: number): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The second field, the program's name, may hold spaces: count from its closing parenthesis.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * millisecondsPerTick;
}

/** The memory a process holds right now, in kilobytes; undefined where the system does not tell it by file. */
export async function residentKilobytes(pid: number): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'));
  return match ? Number(match[1]) : undefined;
}
