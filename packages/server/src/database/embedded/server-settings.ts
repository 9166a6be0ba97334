import { randomBytes } from 'node:crypto';
import { lchown, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EmbeddedContext, Owner } from './data-directory.ts';

export const settingsFileName = 'service.conf';

export type Listening = { socketDirectory: string; port: number } | { loopbackPort: number };

/** They go to a file that PostgreSQL reads before what `ALTER SYSTEM` has written, so that an operator's settings win. */
export async function writeSettings(
  { directory, settings }: EmbeddedContext,
  listening: Listening,
  owner: Owner | undefined,
): Promise<void> {
  const path = join(directory.cluster, settingsFileName);
  const unfinished = `${path}.${randomBytes(4).toString('hex')}`;
  const lines = Object.entries({ ...addressSettings(listening), ...commonSettings, ...settings }).map(
    ([name, value]) => `${name} = '${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'\n`,
  );
  await writeFile(unfinished, lines.join(''), { mode: 0o600 });
  if (owner !== undefined) await lchown(unfinished, owner.uid, owner.gid);
  await rename(unfinished, path);
}

const commonSettings = {
  max_connections: '100',
  shared_buffers: '128MB',
  max_wal_size: '1GB',
  random_page_cost: '1.1',
  // Compiling costs more than it saves on short queries.
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Failed statements are reported by the service; here they would grow the log and leak what users wrote.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
};

function addressSettings(listening: Listening): Record<string, string> {
  if ('loopbackPort' in listening) {
    return {
      listen_addresses: '127.0.0.1',
      port: String(listening.loopbackPort),
      unix_socket_directories: '',
    };
  }
  return {
    listen_addresses: '',
    port: String(listening.port),
    // A list of names: quoted, or a comma or a space in the path would split it.
    unix_socket_directories: `"${listening.socketDirectory.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
  };
}
