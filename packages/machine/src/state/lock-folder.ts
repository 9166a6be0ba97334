import { readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExplainedError } from '../explained-error.ts';
import { isAlive, processStart } from './process-start.ts';
import { createDurably } from './write-durably.ts';

interface Holder {
  pid: number;
  start?: string;
}

/** Makes this process the only daemon that uses the folder; returns what releases it. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'lock');
  const mine = JSON.stringify({ pid: process.pid, start: processStart(process.pid) });
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      await createDurably(path, mine);
      return () => unlink(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const found = await readLock(path);
    if (found === undefined) continue;
    const holder = parseHolder(found);
    if (holder && isHeld(holder)) throw new ExplainedError(describe(holder, path));
    await removeStale(path, found);
  }
  throw new ExplainedError(`Another svc-machine is starting with the same state folder: ${path}.`);
}

/** Its text; a lock that is still empty is given the moment that its writer needs. */
async function readLock(path: string): Promise<string | undefined> {
  for (let attempt = 0; ; attempt++) {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined || parseHolder(text) || attempt === 10) return text;
    await sleep(50);
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const holder = JSON.parse(text) as Partial<Holder> | null;
    return typeof holder?.pid === 'number' ? (holder as Holder) : undefined;
  } catch {
    // The daemon was killed while it wrote the file.
    return undefined;
  }
}

function isHeld({ pid, start }: Holder): boolean {
  if (!isAlive(pid)) return false;
  const current = processStart(pid);
  if (start && current) return start === current;
  // Without starts to compare: our own number is left over from a process that had it before.
  return pid !== process.pid;
}

/** Renamed before it is removed: if another daemon replaced it in the meantime, its lock is put back. */
async function removeStale(path: string, expected: string): Promise<void> {
  const aside = `${path}.${process.pid}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const moved = await readFile(aside, 'utf8');
  if (moved === expected) await unlink(aside);
  else await rename(aside, path);
}

function describe({ pid }: Holder, path: string): string {
  return (
    `Another svc-machine (process ${pid}) uses the same state folder. Stop it first, or use another key or --state. ` +
    `If no other is running, remove ${path}.`
  );
}
