import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../confine/refusal.ts';
import { isAlive } from '../../state/process-start.ts';

interface Identity {
  id: number;
  /** When the process started, as the kernel counts it; null where it cannot be read. */
  startedAt: string | null;
}

const patienceMs = 3000;

/**
 * The process of a daemon that was killed may still be at work on a change. It stops before its next step, but the new
 * process must not look at its files before it has ended.
 */
export function endPredecessor(stateFolder: string): void {
  const file = join(stateFolder, 'file-worker.json');
  const previous = readIdentity(file);
  if (previous && previous.id !== process.pid) waitForEnd(previous);
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify(identify(process.pid)), { mode: 0o600 });
}

function waitForEnd(previous: Identity): void {
  const deadline = Date.now() + patienceMs;
  while (isSame(previous) && Date.now() < deadline) {
    // Only where the start time proves that the number was not given to another program meanwhile.
    if (previous.startedAt !== null) kill(previous.id);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
}

function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

function isSame(previous: Identity): boolean {
  if (!isAlive(previous.id)) return false;
  return previous.startedAt === null || identify(previous.id).startedAt === previous.startedAt;
}

function identify(id: number): Identity {
  try {
    // The command's name is in parentheses and may contain anything; the start time is the 20th field after it.
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const isZombie = fields[0] === 'Z';
    return { id, startedAt: isZombie ? null : (fields[19] ?? null) };
  } catch {
    // Not Linux, or the process has just ended.
    return { id, startedAt: null };
  }
}

function readIdentity(file: string): Identity | undefined {
  try {
    const { id, startedAt } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Identity>;
    return typeof id === 'number' && id > 0 ? { id, startedAt: startedAt ?? null } : undefined;
  } catch {
    // The first start, or a file that was not written whole.
    return undefined;
  }
}
