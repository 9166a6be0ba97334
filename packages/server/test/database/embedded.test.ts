import { access, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDataDirectory } from '../../src/database/embedded/data-directory.ts';
import { openInContext } from '../../src/database/embedded/open-embedded-database.ts';
import {
  eventually,
  makeDirectory,
  makeUsedDirectory,
  openHere,
  openInProcess,
  postmasterOf,
  query,
} from './embedded-harness.ts';

describe('the embedded database', () => {
  it('is created by the first start and kept for the next', async () => {
    const directory = await makeDirectory(`it's a "data", directory`);
    const progress: string[] = [];
    const first = await openHere(directory, 'service', progress);
    await query(first, 'create table note as select 42 as number');
    expect(progress[0]).toContain('first start');
    await first.stop();
    await first.stop();
    expect(await postmasterOf(directory)).toBeUndefined();

    const second = await openHere(directory, 'service', progress);
    expect(await query(second, 'select number from note')).toEqual([42]);
    expect(progress.filter((text) => text.includes('first start'))).toHaveLength(1);
  });

  it('is reachable only by a private socket, and is UTF-8 and durable by default', async () => {
    const directory = await makeUsedDirectory(`it's a "data", directory`);
    const database = await openHere(directory);
    expect(database.connection).toMatchObject({
      host: join(directory, 'socket'),
      user: 'svc',
      database: 'svc',
    });
    expect((await stat(database.connection.host)).mode & 0o777).toBe(0o700);
    const sql = `select current_setting('listen_addresses') as addresses,
      current_setting('synchronous_commit') as durable, upper('é') as letter`;
    expect(await query(database, sql)).toEqual(['', 'on', 'É']);
  });

  it('uses a private temporary directory when its path is too long for a socket', async () => {
    const directory = await makeUsedDirectory('long'.repeat(40));
    const database = await openHere(directory);
    onTestFinished(() => rm(database.connection.host, { recursive: true }));
    expect(database.connection.host.startsWith(join(tmpdir(), 'svc-'))).toBe(true);
    expect((await stat(database.connection.host)).mode & 0o777).toBe(0o700);
    expect(await query(database, 'select 1')).toEqual([1]);
    const beside = await openInProcess(directory, 'command', { env: { TMPDIR: '/', PATH: '/usr/bin:/bin' } });
    expect(beside.connection?.host).toBe(database.connection.host);
  });

  it('refuses a second service and names the first', async () => {
    const directory = await makeUsedDirectory();
    const first = await openInProcess(directory, 'service');
    await expect(openHere(directory)).rejects.toMatchObject({
      name: 'DataDirectoryInUseError',
      message: expect.stringMatching(new RegExp(`${directory} .*process ${first.child.pid}\\b`)),
      processId: first.child.pid,
    });
    await first.end('SIGTERM');
    expect(await postmasterOf(directory)).toBeUndefined();
  });

  it('lets exactly one of several services start at the same moment', async () => {
    const directory = await makeDirectory('data');
    const services = await Promise.all([1, 2, 3].map(() => openInProcess(directory, 'service')));
    expect(services.filter(({ connection }) => connection)).toHaveLength(1);
    for (const { error } of services.filter(({ connection }) => !connection)) {
      expect(error).toContain('DataDirectoryInUseError');
    }
    expect((await readdir(directory)).toSorted()).toEqual(['postgres', 'postgres.log', 'socket']);
  });

  it('serves commands that start at the same moment, and is stopped by the last of them', async () => {
    const directory = await makeDirectory('data');
    const [one, two] = await Promise.all([
      openInProcess(directory, 'command'),
      openInProcess(directory, 'command'),
    ]);
    const postmaster = await postmasterOf(directory);
    expect([one.error, two.error]).toEqual([undefined, undefined]);
    await one.end('SIGTERM');
    expect(await postmasterOf(directory)).toBe(postmaster);
    await two.end('SIGTERM');
    expect(await postmasterOf(directory)).toBeUndefined();
  });

  it('is stopped by the last of many that exit at the same moment', async () => {
    const directory = await makeUsedDirectory();
    const commands = await Promise.all([1, 2, 3, 4].map(() => openHere(directory, 'command')));
    await Promise.all(commands.map((command) => command.stop()));
    expect(await postmasterOf(directory)).toBeUndefined();
  });

  it('keeps running for the service when a command beside it ends', async () => {
    const directory = await makeUsedDirectory();
    const command = await openHere(directory, 'command');
    const service = await openHere(directory);
    const postmaster = await postmasterOf(directory);
    await command.stop();
    const another = await openHere(directory, 'command');
    await another.stop();
    expect(await postmasterOf(directory)).toBe(postmaster);
    expect(await query(service, 'select 1')).toEqual([1]);
  });

  it('is available to a service that starts while a command stops the server', async () => {
    const directory = await makeUsedDirectory();
    const command = await openHere(directory, 'command');
    const [service] = await Promise.all([openHere(directory), command.stop()]);
    expect(await query(service, 'select 1')).toEqual([1]);
    await service.stop();
    expect(await postmasterOf(directory)).toBeUndefined();
  });

  it('listens on the loopback address with a password where there are no Unix sockets', async () => {
    const directory = await makeDirectory();
    const context = {
      directory: await openDataDirectory(directory),
      transport: 'loopback' as const,
      settings: { fsync: 'off' },
      report: () => undefined,
    };
    const database = await openInContext('service', context);
    try {
      expect(database.connection.host).toBe('127.0.0.1');
      expect(await query(database, 'select 1')).toEqual([1]);
      const stranger = new Client({ ...database.connection, password: 'guessed' });
      await expect(stranger.connect()).rejects.toMatchObject({ code: '28P01' });
      process.kill((await postmasterOf(directory)) ?? 0, 'SIGKILL');
      await eventually(async () => (await query(database, 'select 1'))[0] === 1);
    } finally {
      await database.stop();
    }
    await expect(access(join(directory, 'postgres', 'postmaster.pid'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });
});
