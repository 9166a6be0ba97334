import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { ExplainedError, explain } from '../explained-error.ts';
import { isWithin } from '../is-within.ts';
import { lockFolder } from './lock-folder.ts';
import { writeDurably } from './write-durably.ts';

export interface StateFolder {
  /** The real path. */
  path: string;
  /** Operations are repeated only to the daemon that has their records: the one with this state. */
  instanceId: string;
  close(): Promise<void>;
}

/** A file with a random key that the service does not know. Kept, because approvals outlive the daemon. */
export const hashKeyFile = 'hash-key';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Where the state of the machine with this key is kept, unless something else was chosen. */
export function defaultStateFolder(config: Pick<Config, 'localState'>, key: string): string {
  // Not the hash that the service stores for the key.
  const name = createHash('sha256').update(`svc-machine state ${key}`).digest('hex').slice(0, 24);
  if (process.platform === 'win32') {
    return join(config.localState ?? join(homedir(), 'AppData', 'Local'), 'svc-machine', name);
  }
  if (process.platform === 'darwin') {
    return join(homedir(), 'Library', 'Application Support', 'svc-machine', name);
  }
  return join(config.localState ?? join(homedir(), '.local', 'state'), 'svc-machine', name);
}

/** Opens or creates the folder for this process alone. Agents must not reach it, so it cannot be inside a root. */
export async function openStateFolder(chosen: string, roots: readonly string[]): Promise<StateFolder> {
  requireApart(await realPathToBe(resolve(chosen)), roots);
  const path = await prepare(resolve(chosen));
  requireApart(path, roots);
  const release = await lockFolder(path);
  try {
    await readOrCreateId(join(path, hashKeyFile));
    return { path, instanceId: await readOrCreateId(join(path, 'instance')), close: release };
  } catch (error) {
    await release();
    throw error;
  }
}

function requireApart(path: string, roots: readonly string[]): void {
  const root = roots.find((candidate) => isWithin(candidate, path) || isWithin(path, candidate));
  if (root === undefined) return;
  throw new ExplainedError(
    `The state folder ${path} and the root ${root} contain each other: choose another folder with --state.`,
  );
}

/** The real path that a folder will have, so that it is not created in a root only to be refused. */
async function realPathToBe(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    // It does not exist yet; if it cannot be used for another reason, creating it says so.
    const parent = dirname(path);
    return parent === path ? path : join(await realPathToBe(parent), basename(path));
  }
}

/** Its real path, once it exists, belongs to the daemon and is closed to other users. */
async function prepare(path: string): Promise<string> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    const names = await readdir(path);
    if (names.length > 0 && !names.includes('instance') && !names.includes('lock')) {
      throw new ExplainedError(`The state folder ${path} has other files in it: choose an empty or new one.`);
    }
    if (process.platform !== 'win32') await chmod(path, 0o700);
    return await realpath(path);
  } catch (error) {
    if (error instanceof ExplainedError) throw error;
    throw new ExplainedError(`The state folder ${path} cannot be used (${explain(error)}).`);
  }
}

async function readOrCreateId(path: string): Promise<string> {
  const stored = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  if (uuid.test(stored)) return stored;
  // New, or damaged by a power cut: with another instance, what the previous one did is reported as unknown; with another key,
  // changes that wait for approval have to be proposed again.
  const created = randomUUID();
  await writeDurably(path, created);
  return created;
}
