import { randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../lib/error-code.ts';
import { type EmbeddedContext, giveToOwner, ifPresent } from './data-directory.ts';
import type { Launch } from './launch-command.ts';
import { runProgram } from './programs.ts';
import { settingsFileName } from './server-settings.ts';

export const serverUser = 'svc';
const passwordFileName = 'svc-password';
const unfinishedPrefix = 'postgres-new-';
// Longer than initdb may run, so that another process's work in progress is never removed.
const abandonedAfterMilliseconds = 600_000;

/**
 * Creates the database's files in a temporary directory and moves them into place when they are complete: a crash
 * leaves nothing half made, and when two first starts race, one wins and both continue with its files.
 */
export async function createClusterIfMissing(
  context: EmbeddedContext,
  initdb: string,
  launch: Launch,
): Promise<void> {
  const { root, cluster } = context.directory;
  await removeAbandoned(root);
  if (await isCluster(cluster)) return;
  context.report('Creating the database (first start)…');
  const unfinished = await mkdtemp(join(root, unfinishedPrefix));
  try {
    await giveToOwner(unfinished, launch.owner);
    await initialiseCluster(context, initdb, launch, unfinished);
    await giveToOwner(unfinished, launch.owner);
    await rename(unfinished, cluster);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!(await isCluster(cluster))) throw explain(error, cluster);
  }
}

/** Only a server on the loopback has a password; other users cannot enter the socket's directory. */
export function readServerPassword(cluster: string): Promise<string | undefined> {
  return ifPresent(readFile(join(cluster, passwordFileName), 'utf8'));
}

/** Fills an empty directory with a new database cluster. */
async function initialiseCluster(
  context: EmbeddedContext,
  initdb: string,
  launch: Launch,
  target: string,
): Promise<void> {
  const password = context.transport === 'loopback' ? randomBytes(24).toString('base64url') : undefined;
  const options = [
    `--pgdata=${target}`,
    `--username=${serverUser}`,
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(context.settings['fsync'] === 'off' ? ['--no-sync'] : []),
  ];
  await withAuthentication(password, async (authentication) => {
    const { succeeded, output } = await runProgram([...launch.prefix, initdb, ...options, ...authentication]);
    if (!succeeded) throw new Error(output);
  });
  await appendFile(join(target, 'postgresql.conf'), `\ninclude_if_exists = '${settingsFileName}'\n`);
  if (password !== undefined) await writeFile(join(target, passwordFileName), password, { mode: 0o600 });
}

// initdb accepts a password only from a file, which cannot be in the directory that it fills.
async function withAuthentication(
  password: string | undefined,
  work: (options: readonly string[]) => Promise<void>,
): Promise<void> {
  if (password === undefined) return work(['--auth-local=trust', '--auth-host=reject']);
  const directory = await mkdtemp(join(tmpdir(), 'svc-'));
  try {
    const path = join(directory, 'password');
    await writeFile(path, password, { mode: 0o600 });
    await work(['--auth=scram-sha-256', `--pwfile=${path}`]);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function isCluster(path: string): Promise<boolean> {
  return (await ifPresent(stat(join(path, 'PG_VERSION')))) !== undefined;
}

async function removeAbandoned(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (!name.startsWith(unfinishedPrefix)) continue;
    const path = join(root, name);
    const found = await ifPresent(stat(path));
    if (found !== undefined && Date.now() - found.mtimeMs > abandonedAfterMilliseconds)
      await rm(path, { recursive: true, force: true });
  }
}

function explain(cause: unknown, cluster: string): Error {
  if (errorCode(cause) === 'ENOTEMPTY' || errorCode(cause) === 'EEXIST') {
    return new Error(`${cluster} is not empty, but does not hold a database. Move it away and start again.`, {
      cause,
    });
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(`The database could not be created in ${cluster}: ${reason}`, { cause });
}
