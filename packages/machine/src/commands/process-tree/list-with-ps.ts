import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { systemPath } from '../environment/system-path.ts';
import type { ProcessEntry } from './process-entry.ts';

/** For macOS, whose `ps` prints the environment of the user's own processes after their command. */
export async function listWithPs(marker: string): Promise<ProcessEntry[]> {
  const options = { maxBuffer: 64 * 1024 * 1024, env: { PATH: systemPath, LC_ALL: 'C' } };
  const columns = ['pid', 'ppid', 'pgid', 'state', 'command'].flatMap((name) => ['-o', `${name}=`]);
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-E', ...columns], options);
  return stdout.split('\n').flatMap((line) => parseLine(line, marker));
}

export function parseLine(line: string, marker: string): ProcessEntry[] {
  const [, pid, parent, group, state, rest] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
  if (pid === undefined || rest === undefined || state?.startsWith('Z')) return [];
  const isMarked = ` ${rest} `.includes(` ${marker} `);
  return [{ pid: Number(pid), parent: Number(parent), group: Number(group), isMarked }];
}
