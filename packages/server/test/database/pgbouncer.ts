import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';

export interface PgBouncer {
  /** The address of the database through PgBouncer. */
  url: string;
  stop(): Promise<void>;
}

/** Debian's PgBouncer in front of a database. */
export async function startPgBouncer(
  databaseUrl: string,
  poolMode: 'session' | 'transaction',
): Promise<PgBouncer> {
  const { hostname, port: serverPort, username, password, pathname } = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), 'svc-pgbouncer-'));
  await chmod(folder, 0o755);
  const [settings, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'users.txt')];
  const port = await freePort();
  await writeFile(users, `"${username}" "${password}"\n`);
  await writeFile(
    settings,
    `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = ${poolMode}
default_pool_size = 60
`,
  );
  // It refuses to run as root.
  const child = spawn('pgbouncer', [...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), settings], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await started(child);
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`,
    async stop() {
      const ended = once(child, 'exit');
      if (child.kill('SIGTERM')) await ended;
      await rm(folder, { recursive: true });
    },
  };
}

function started(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`pgbouncer ended:\n${output}`)));
    child.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('process up')) resolve();
    });
  });
}
