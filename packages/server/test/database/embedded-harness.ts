import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { inject, onTestFinished } from 'vitest';
import type { Role } from '../../src/database/embedded/directory-locks.ts';
import {
  type EmbeddedDatabase,
  openEmbeddedDatabase,
} from '../../src/database/embedded/open-embedded-database.ts';
import { findRunningPostmaster } from '../../src/database/embedded/postmaster.ts';
import { isProcessRunning } from '../../src/lib/is-process-running.ts';
import { databaseFolder } from '../support/database-folder.ts';

export const isRoot = process.getuid?.() === 0;
const fixture = fileURLToPath(new URL('embedded-process.ts', import.meta.url));

/** A directory that is removed after the test, together with any server left running there. */
export async function makeDirectory(...inside: string[]): Promise<string> {
  const parent = await realpath(await mkdtemp(join(databaseFolder, 'svc-embedded-')));
  const directory = join(parent, ...inside);
  onTestFinished(async () => {
    const processId = await postmasterOf(directory);
    if (processId !== undefined) {
      process.kill(processId, 'SIGQUIT');
      await eventually(() => !isProcessRunning(processId));
    }
    await rm(parent, { recursive: true, maxRetries: 5 });
  });
  return directory;
}

/** The same with the files of a database, for tests that are not about the first start. */
export async function makeUsedDirectory(...inside: string[]): Promise<string> {
  const directory = await makeDirectory(...inside);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await promisify(execFile)('cp', ['-a', inject('preparedCluster'), join(directory, 'postgres')]);
  return directory;
}

export function postmasterOf(directory: string): Promise<number | undefined> {
  return findRunningPostmaster(join(directory, 'postgres'));
}

export async function openHere(directory: string, role: Role = 'service', progress: string[] = []) {
  const database = await openEmbeddedDatabase({
    directory,
    role,
    settings: { fsync: 'off' },
    onProgress: (text) => progress.push(text),
  });
  onTestFinished(() => database.stop());
  return database;
}

interface Outcome {
  connection?: EmbeddedDatabase['connection'];
  error?: string;
}

export interface OtherProcess {
  child: ChildProcess;
  outcome: Promise<Outcome>;
  /** Sends the signal and waits for the process to exit. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export function startProcess(directory: string, role: Role, options: SpawnOptions = {}): OtherProcess {
  const child = spawn(process.execPath, [fixture, directory, role], {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal);
    await exit;
  };
  onTestFinished(() => end('SIGKILL'));
  return { child, outcome: readOutcome(child), end };
}

export async function openInProcess(directory: string, role: Role, options: SpawnOptions = {}) {
  const started = startProcess(directory, role, options);
  return { ...started, ...(await started.outcome) };
}

async function readOutcome(child: ChildProcess): Promise<Outcome> {
  if (child.stdout === null) throw new TypeError('The output is piped.');
  for await (const line of createInterface(child.stdout)) {
    const outcome: Outcome = JSON.parse(line);
    return outcome;
  }
  return { error: 'It ended without a word.' };
}

export async function query(database: Pick<EmbeddedDatabase, 'connection'>, sql: string): Promise<unknown[]> {
  const client = new Client(database.connection);
  // If the server dies while this is open, that must fail the query, not the test run.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(sql)).rows.flatMap((row) => Object.values(row));
  } finally {
    await client.end();
  }
}

/** Polls until the condition holds, within a time limit; an error counts as not yet. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    try {
      if (await holds()) return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    if (Date.now() > deadline) throw new Error('It did not come about.');
    await delay(25);
  }
}

export async function userOf(processId: number): Promise<number> {
  const status = await readFile(`/proc/${processId}/status`, 'utf8');
  return Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]);
}
