import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isProcessRunning } from '../../src/lib/is-process-running.ts';
import {
  eventually,
  makeDirectory,
  makeUsedDirectory,
  openHere,
  openInProcess,
  postmasterOf,
  query,
  startProcess,
} from './embedded-harness.ts';

async function killPostmaster(directory: string): Promise<number> {
  const processId = await postmasterOf(directory);
  if (processId === undefined) throw new Error('No server runs.');
  process.kill(processId, 'SIGKILL');
  return processId;
}

/** The id of a process that is not PostgreSQL. */
function strangersProcessId(): number {
  const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  onTestFinished(async () => {
    stranger.kill('SIGKILL');
    await once(stranger, 'exit');
  });
  if (stranger.pid === undefined) throw new Error('The stranger did not start.');
  return stranger.pid;
}

describe('the embedded database after a crash', () => {
  it('is taken over from a killed service, and stopped in the end', async () => {
    const directory = await makeUsedDirectory();
    const killed = await openInProcess(directory, 'service');
    const postmaster = await postmasterOf(directory);
    await killed.end('SIGKILL');
    const service = await openHere(directory);
    expect(await postmasterOf(directory)).toBe(postmaster);
    expect(await query(service, 'select 1')).toEqual([1]);
    await service.stop();
    expect(await postmasterOf(directory)).toBeUndefined();
  });

  it('is completed when the first start was killed halfway', async () => {
    const directory = await makeDirectory('data');
    const killed = startProcess(directory, 'service');
    await eventually(async () => (await readdir(directory)).some((name) => name.startsWith('postgres-new-')));
    expect(await readdir(directory)).not.toContain('postgres');
    await killed.end('SIGKILL');
    const service = await openHere(directory);
    expect(await query(service, 'select 1')).toEqual([1]);
  });

  it('restarts by itself when the server is killed under a running service', async () => {
    const directory = await makeUsedDirectory();
    const progress: string[] = [];
    const service = await openHere(directory, 'service', progress);
    await query(service, 'create table note as select 42 as number');
    for (let round = 0; round < 2; round += 1) {
      const killed = await killPostmaster(directory);
      await eventually(async () => (await query(service, 'select number from note'))[0] === 42);
      expect(await postmasterOf(directory)).not.toBe(killed);
      await eventually(() => progress.filter((text) => text.includes('is back')).length === round + 1);
    }
    expect((await openInProcess(directory, 'service')).error).toContain(`process ${process.pid}`);
  });

  it('stays down when the service is stopped while it restarts the server', async () => {
    const directory = await makeUsedDirectory();
    const progress: string[] = [];
    const service = await openHere(directory, 'service', progress);
    const killed = await killPostmaster(directory);
    await eventually(() => progress.some((text) => text.includes('lost')));
    await service.stop();
    expect(await postmasterOf(directory)).toBeUndefined();
    await eventually(() => !isProcessRunning(killed));
    await service.stop();
    const again = await openHere(directory);
    expect(await query(again, 'select 1')).toEqual([1]);
  });

  it('starts despite the lock files of a server that was killed with its service', async () => {
    const directory = await makeUsedDirectory();
    const service = await openInProcess(directory, 'service');
    service.child.kill('SIGSTOP');
    await killPostmaster(directory);
    await service.end('SIGKILL');
    const next = await openHere(directory);
    expect(await query(next, 'select 1')).toEqual([1]);
  });

  it('starts despite lock files whose process id now belongs to another process', async () => {
    const directory = await makeUsedDirectory();
    await (await openHere(directory)).stop();
    const socket = join(directory, 'socket');
    const lock = `${strangersProcessId()}\n${join(directory, 'postgres')}\n1\n5432\n${socket}\n`;
    await writeFile(join(directory, 'postgres', 'postmaster.pid'), `${lock}\n  1 1\nready\n`);
    await writeFile(join(socket, '.s.PGSQL.5432.lock'), lock);
    const service = await openHere(directory);
    expect(await query(service, 'select 1')).toEqual([1]);
  });

  it('starts despite a lock file that a crash of the machine left empty', async () => {
    const directory = await makeUsedDirectory();
    await (await openHere(directory)).stop();
    const path = join(directory, 'postgres', 'postmaster.pid');
    await writeFile(path, '');
    await utimes(path, 1, 1);
    const service = await openHere(directory);
    expect(await query(service, 'select 1')).toEqual([1]);
  });

  it('reports why the server does not start', async () => {
    const directory = await makeUsedDirectory();
    await (await openHere(directory)).stop();
    await writeFile(join(directory, 'postgres', 'postgresql.auto.conf'), "shared_buffers = 'many'\n");
    await expect(openHere(directory)).rejects.toThrow(/PostgreSQL did not start: [^]*shared_buffers/);
  });

  it('does not touch a directory that is not a database', async () => {
    const directory = await makeDirectory();
    await mkdir(join(directory, 'postgres'));
    await writeFile(join(directory, 'postgres', 'letter'), 'mine');
    await expect(openHere(directory)).rejects.toThrow('does not hold a database');
    expect(await readdir(join(directory, 'postgres'))).toEqual(['letter']);
  });
});
