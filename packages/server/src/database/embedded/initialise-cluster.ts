import { randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedContext } from './context.ts';
import { ifPresent } from './if-present.ts';
import type { Launch } from './launch-command.ts';
import { runProgram } from './run-program.ts';
import { settingsFileName } from './server-settings.ts';

export const serverUser = 'svc';
const passwordFileName = 'svc-password';

/** Fills an empty directory with a new database cluster. */
export async function initialiseCluster(
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

/** Only a server on the loopback has a password; the socket's directory is closed to others. */
export function readServerPassword(cluster: string): Promise<string | undefined> {
  return ifPresent(readFile(join(cluster, passwordFileName), 'utf8'));
}

// initdb wants its directory empty and takes a password only from a file.
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
