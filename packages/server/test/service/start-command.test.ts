import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { sql } from '../../src/database/drizzle.ts';
import { openEmbeddedDatabase } from '../../src/database/embedded/open-embedded-database.ts';
import { makeDataDirectory } from '../support/service-process.ts';
import {
  endLaunched,
  expectNothingLeft,
  type Launched,
  runBundled,
  runLauncher,
  runNpm,
} from './npm-script.ts';

/** The command ended with exit code 1 and printed one sentence, once. */
async function expectFailure(launched: Launched, sentence: RegExp): Promise<void> {
  expect(await launched.ended).toEqual({ code: 1, signal: null });
  const told = launched.stderr().match(new RegExp(sentence, 'gm'));
  expect(told, launched.stderr()).toHaveLength(1);
  // npm may print warnings about its own configuration.
  const others = launched
    .stderr()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('npm ') && !sentence.test(line));
  expect(others).toEqual([]);
}

describe('npm start', { shuffle: false }, () => {
  let data: Awaited<ReturnType<typeof makeDataDirectory>>;
  let service: Launched;
  let address = '';
  beforeAll(async () => {
    data = await makeDataDirectory({ isEmpty: true });
    service = runNpm(['start'], { SVC_DATA_DIR: data.path, PORT: '0' });
  });
  afterAll(async () => {
    await endLaunched();
    await data.remove();
  });

  it('prints its address and where its first key is, and answers there', async () => {
    await expect.poll(() => service.stdout()).toContain('Authorization: Bearer $(cat ');
    address = /Console +(\S+)/.exec(service.stdout())?.[1] ?? '';
    const path = /^ +(\S+first-key)$/m.exec(service.stdout())?.[1] ?? '';
    const key = (await readFile(path, 'utf8')).trim();
    const answer = await fetch(`${address}/api/v1/bots`, { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(200);
  });

  it('ends with exit code 1 and one sentence when it cannot start', async () => {
    const { port } = new URL(address);
    await Promise.all([
      expectFailure(
        runNpm(['start'], { SVC_ENCRYPTION_KEY: 'canary' }),
        /^SVC_ENCRYPTION_KEY must be 32 bytes as base64\.$/,
      ),
      expectFailure(
        runBundled({ SVC_DATA_DIR: data.path, PORT: port }),
        new RegExp(`^PORT ${port} is already in use on 127\\.0\\.0\\.1: choose another\\.$`),
      ),
      expectFailure(
        runBundled({ SVC_DATA_DIR: data.path, PORT: '0' }),
        /^The data directory .* is in use by another service \(process \d+\)\. Stop it first, .*\.$/,
      ),
    ]);
    expect((await fetch(`${address}/readyz`)).status).toBe(200);
  });

  it('stops on SIGTERM with everything that it started', async () => {
    service.kill('SIGTERM');
    expect(await service.ended).toEqual({ code: 0, signal: null });
    await expectNothingLeft(data.path);
  });

  it('stops its PostgreSQL when it fails after PostgreSQL has started', async () => {
    await claimNewerVersion(data.path);
    const failing = runBundled({ SVC_DATA_DIR: data.path, PORT: '0' });
    await expectFailure(
      failing,
      /^The database was migrated by a newer version of svc \(9999-later\.sql\).*\.$/,
    );
    expect(failing.stdout()).toContain('Starting PostgreSQL');
    await expectNothingLeft(data.path);
  });
});

describe('a start that waits for its database', () => {
  let silent: Server;
  let environment: Record<string, string>;
  beforeAll(async () => {
    silent = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    environment = {
      DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/svc`,
      SVC_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
      PORT: '0',
    };
  });
  afterAll(async () => {
    await endLaunched();
    silent.close();
  });

  it('ends on SIGTERM', async () => {
    const waiting = runLauncher(environment);
    await expect.poll(() => waiting.stdout()).toContain('Waiting for the PostgreSQL server');
    waiting.kill('SIGTERM');
    expect(await waiting.ended).toEqual({ code: 0, signal: null });
    expect(waiting.stderr()).not.toContain('aborted');
  });

  it('ends when its launcher is killed', async () => {
    const waiting = runLauncher(environment);
    await expect.poll(() => waiting.stdout()).toContain('Waiting for the PostgreSQL server');
    waiting.kill('SIGKILL');
    expect(await waiting.ended).toEqual({ code: null, signal: 'SIGKILL' });
    expect(waiting.stdout()).toContain('Stopping');
  });
});

it.skipIf(process.platform === 'win32')(
  'a launcher notices that npm is gone even before it has started anything',
  async () => {
    const program = `
      const parent = process.ppid;
      setTimeout(() => process.exit(), 10_000);
      const { onNpmDeath } = await import(process.argv[1]);
      process.stdout.write('loaded');
      const waiting = setInterval(() => {
        if (process.ppid === parent) return;
        clearInterval(waiting);
        onNpmDeath(() => process.stdout.write('gone', () => process.exit()));
      }, 20);`;
    const file = new URL('../../../../scripts/lib/run-program.mjs', import.meta.url).href;
    // The shell takes the place of npm, and ends with its input.
    const npm = spawn(
      'sh',
      ['-c', '"$0" --input-type=module -e "$1" "$2" & cat', process.execPath, program, file],
      {
        env: { ...process.env, npm_lifecycle_event: 'start' },
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    let said = '';
    npm.stdout.on('data', (chunk) => {
      said += String(chunk);
    });
    await expect.poll(() => said).toBe('loaded');
    npm.stdin.end();
    await once(npm, 'close');
    expect(said).toBe('loadedgone');
  },
);

describe('npm run dev', () => {
  afterAll(endLaunched);

  it('prints why it cannot start and waits for a change until it is stopped', async () => {
    const dev = runNpm(['run', 'dev'], { PORT: 'many' });
    await expect.poll(() => dev.stderr()).toContain('waiting for a change');
    expect(dev.stderr()).toContain('PORT must be a whole number');
    dev.kill('SIGINT');
    expect(await dev.ended).toEqual({ code: 1, signal: null });
  });
});

describe('npm test', () => {
  afterAll(endLaunched);

  it('runs the given tests and returns their result as its exit code', async () => {
    // This test only reads files, so that no second database is started.
    const tests = runNpm(['test', '--', '--project', 'house', '-t', 'is read at all'], {});
    expect(await tests.ended).toEqual({ code: 0, signal: null });
    expect(tests.stdout()).toContain('1 passed');
  });
});

describe('npm run gallery', () => {
  afterAll(endLaunched);

  it('says which program is missing, and not where the pictures are', async () => {
    const gallery = runLauncher({ PATH: '/nowhere' }, 'gallery.mjs');
    expect(await gallery.ended).toEqual({ code: 1, signal: null });
    expect(gallery.stderr()).toContain('please install chromium-headless-shell and try again');
    expect(gallery.stderr()).not.toContain('the pictures are in');
  });
});

/** As if a later release had used this database. */
async function claimNewerVersion(directory: string): Promise<void> {
  const embedded = await openEmbeddedDatabase({ directory, role: 'service' });
  const database = openDatabase({ connection: embedded.connection, onConnectionError: () => undefined });
  await database.acrossWorkspaces.execute(
    sql`insert into schema_migrations (name, needs) values ('9999-later.sql', '9998-unknown.sql')`,
  );
  await database.close();
  await embedded.stop();
}
