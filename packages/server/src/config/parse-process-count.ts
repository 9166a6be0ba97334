import { availableParallelism } from 'node:os';

/** More processes would only compete for the connections of one database. */
export const maxProcesses = 64;

/** A number of processes, or `auto` for one per core; undefined if the text is neither. */
export function parseProcessCount(text: string): number | undefined {
  if (text === 'auto') return Math.min(availableParallelism(), maxProcesses);
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= maxProcesses ? count : undefined;
}
