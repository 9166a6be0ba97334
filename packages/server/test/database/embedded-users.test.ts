import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Owner, openDataDirectory } from '../../src/database/embedded/data-directory.ts';
import { launchesFor } from '../../src/database/embedded/launch-command.ts';
import { prepareSocketDirectory, socketDirectoryFor } from '../../src/database/embedded/server-address.ts';
import {
  isRoot,
  makeDirectory,
  makeUsedDirectory,
  openHere,
  openInProcess,
  postmasterOf,
  query,
  userOf,
} from './embedded-harness.ts';

const nobody = { uid: 65534, gid: 65534 };

describe('the way to run PostgreSQL', () => {
  it('is direct for everybody but root', () => {
    expect(launchesFor(1000, undefined).map(({ prefix }) => prefix)).toEqual([[]]);
    expect(launchesFor(undefined, undefined).map(({ prefix }) => prefix)).toEqual([[]]);
  });

  it('keeps a database with its owner', () => {
    const either = [
      ['unshare', 0],
      ['setpriv', nobody.uid],
    ];
    expect(waysOfRoot(undefined)).toEqual(either);
    expect(waysOfRoot({ uid: 0, gid: 0 })).toEqual(either);
    expect(waysOfRoot({ uid: 1000, gid: 1000 })).toEqual([['setpriv', 1000]]);
  });
});

describe.runIf(isRoot)('the embedded database started by root', () => {
  it('works below a private directory, and changes no ownership', async () => {
    const directory = await makeDirectory('home', 'data');
    await mkdir(join(directory, '..'), { mode: 0o700 });
    const database = await openHere(directory);
    expect(await query(database, 'select 1')).toEqual([1]);
    expect((await stat(join(directory, 'postgres'))).uid).toBe(0);
  });

  it('works without user namespaces, even on a database that was created with them', async () => {
    const directory = await makeUsedDirectory('home', 'data');
    await chmod(join(directory, '..'), 0o700);
    const withNamespaces = await openHere(directory);
    await query(withNamespaces, 'create table note as select 42 as number');
    await withNamespaces.stop();

    const environment = { PATH: await makePathWithoutUnshare(directory) };
    const without = await openInProcess(directory, 'service', { env: environment });
    expect(without.error).toBeUndefined();
    expect(await userOf((await postmasterOf(directory)) ?? 0)).toBe(nobody.uid);
    expect((await stat(join(directory, 'postgres'))).uid).toBe(nobody.uid);
    await without.end('SIGTERM');
    expect(await postmasterOf(directory)).toBeUndefined();

    const again = await openHere(directory);
    expect(await query(again, 'select number from note')).toEqual([42]);
  });

  it('works without user namespaces from the first start', async () => {
    const directory = await makeDirectory('home', 'data');
    await mkdir(join(directory, '..'), { mode: 0o700 });
    const environment = { PATH: await makePathWithoutUnshare(directory) };
    const database = await openInProcess(directory, 'service', { env: environment });
    expect(database.error).toBeUndefined();
    expect(await userOf((await postmasterOf(directory)) ?? 0)).toBe(nobody.uid);
    await database.end('SIGTERM');
  });

  it('says what to do where it cannot run', async () => {
    const directory = await makeDirectory();
    const { error } = await openInProcess(directory, 'service', { env: { PATH: directory } });
    expect(error).toMatch(/does not run as root.*DATABASE_URL/s);
  });

  it('leaves the database of another user usable for that user', async () => {
    const directory = await makeDirectory('data');
    await mkdir(directory);
    await chmod(join(directory, '..'), 0o755);
    await chown(directory, nobody.uid, nobody.gid);
    for (const options of [nobody, {}, nobody]) {
      const database = await openInProcess(directory, 'service', options);
      expect(database.error).toBeUndefined();
      expect(await userOf((await postmasterOf(directory)) ?? 0)).toBe(nobody.uid);
      await database.end('SIGTERM');
    }
  });

  it('is refused to another user with a clear message', async () => {
    const directory = await makeUsedDirectory('data');
    await chmod(directory, 0o755);
    await chmod(join(directory, '..'), 0o755);
    const { error } = await openInProcess(directory, 'service', nobody);
    expect(error).toContain('belongs to another user (uid 0)');
  });

  it('does not use a socket directory that another user has prepared', async () => {
    const directory = await openDataDirectory(await makeDirectory('long'.repeat(40)));
    const path = socketDirectoryFor(directory, await makeDirectory());
    await mkdir(path);
    await chown(path, 12_345, 12_345);
    await expect(prepareSocketDirectory(path, { uid: 0, gid: 0 })).rejects.toThrow('another user');
  });
});

function waysOfRoot(clusterOwner: Owner | undefined) {
  return launchesFor(0, clusterOwner).map(({ prefix, owner }) => [prefix[0], owner?.uid]);
}

async function makePathWithoutUnshare(directory: string): Promise<string> {
  const path = join(directory, '..', 'programs');
  await mkdir(path);
  for (const program of ['sh', 'setpriv']) {
    const found = execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
    await symlink(found, join(path, program));
  }
  return path;
}
