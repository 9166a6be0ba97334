import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * When a process started, as text to compare: another process that got the same number later has another start. Undefined
 * if there is no such process, or where the system has no cheap way to tell.
 */
export function processStart(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return linuxStart(pid);
    if (process.platform === 'win32') return undefined;
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    // No such process, or no `ps`: the caller decides by whether the process exists.
    return undefined;
  }
}

function linuxStart(pid: number): string | undefined {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program is in parentheses and may contain anything; the start is the 20th field after it.
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return ticks && `${boot} ${ticks}`;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
