import { readdir, readFile } from 'node:fs/promises';

/** Linux counts a process's time in hundredths of a second. */
const millisecondsPerTick = 10;

/** The processor time a process has used so far; undefined where the system does not tell it by file. */
export async function processorMilliseconds(pid: number): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const { own } = parseStat(await readFile(`/proc/${pid}/stat`, 'utf8'));
  return own;
}

export interface ProcessTimes {
  parent: number;
  /** Processor time in milliseconds. */
  own: number;
  /** The same for its children that have ended. */
  ofEnded: number;
}

/** Every process of the machine, by its id; empty where the system does not tell by file. */
export async function readProcesses(): Promise<Map<number, ProcessTimes>> {
  if (process.platform !== 'linux') return new Map();
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = await Promise.all(
    ids.map(async (id) => {
      // A process may end before its file is read.
      const text = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => undefined);
      return text === undefined ? [] : [[Number(id), parseStat(text)] as const];
    }),
  );
  return new Map(entries.flat());
}

/** How long the machine's processors have been idle so far, in total. */
export async function idleMilliseconds(): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const fields = (await readFile('/proc/stat', 'utf8')).split(/\s+/, 6);
  return (Number(fields[4]) + Number(fields[5])) * millisecondsPerTick;
}

function parseStat(text: string): ProcessTimes {
  // The second field, the program's name, may hold spaces: count from its closing parenthesis.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const time = (index: number) => Number(fields[index]) * millisecondsPerTick;
  return { parent: Number(fields[1]), own: time(11) + time(12), ofEnded: time(13) + time(14) };
}

/** The memory a process holds right now, in kilobytes; undefined where the system does not tell it by file. */
export async function residentKilobytes(pid: number): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'));
  return match ? Number(match[1]) : undefined;
}
