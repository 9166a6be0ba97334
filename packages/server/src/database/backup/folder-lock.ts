import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../lib/error-code.ts';
import { isProcessRunning } from '../../lib/is-process-running.ts';

const renewMilliseconds = 15_000;
/** On another machine a process cannot be asked for. */
const abandonedAfterMilliseconds = 120_000;
/** A container may have the same name, and numbers of processes that mean nothing here. */
const abandonedHereAfterMilliseconds = 2 * renewMilliseconds;

interface LockHolder {
  id: string;
  host: string;
  processId: number;
}

/**
 * Locks a folder for one process at a time, also for those of other machines that share it. The lock of a process that was
 * killed is taken over: after half a minute on its own machine, after two on another.
 */
export async function lockFolder(folder: string) {
  const path = join(folder, 'lock');
  const own: LockHolder = { id: randomUUID(), host: hostname(), processId: process.pid };
  await removeAbandoned(path);
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(JSON.stringify(own));
    } finally {
      await file.close();
    }
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    throw new Error(
      `Another backup is being written to ${folder}: wait for it, or use another folder. If it was killed, run this one again in two minutes.`,
      { cause: error },
    );
  }
  const renewal = setInterval(() => {
    const now = new Date();
    // Whether it is still ours is checked when it matters.
    utimes(path, now, now).catch(() => undefined);
  }, renewMilliseconds).unref();

  const isOurs = async () => (await readHolder(path))?.id === own.id;
  return {
    /** Throws if another process took the lock over, because this one did not run for minutes. */
    async check(): Promise<void> {
      if (!(await isOurs()))
        throw new Error(`The lock of ${folder} was taken over by another backup: run this one again.`);
    },
    async release(): Promise<void> {
      clearInterval(renewal);
      if (await isOurs()) await rm(path, { force: true });
    },
  };
}

async function removeAbandoned(path: string): Promise<void> {
  const holder = await readHolder(path);
  if (!holder) return;
  const isGone = holder.host === hostname() && !isProcessRunning(holder.processId);
  const patience = isGone ? abandonedHereAfterMilliseconds : abandonedAfterMilliseconds;
  if (Date.now() - holder.renewedAt < patience) return;
  // Renamed first: of two processes that do this at the same time, one removes it.
  const removed = `${path}-${randomUUID()}`;
  try {
    await rename(path, removed);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  await rm(removed);
}

async function readHolder(
  path: string,
): Promise<(Partial<LockHolder> & { processId: number; renewedAt: number }) | undefined> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
    // One that was just created may still be empty.
    const found = (text === '' ? {} : JSON.parse(text)) as Partial<LockHolder>;
    return { ...found, processId: found.processId ?? 0, renewedAt: mtimeMs };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (error instanceof SyntaxError)
      throw new Error(`${path} is not a lock of svc: remove it.`, { cause: error });
    throw error;
  }
}
