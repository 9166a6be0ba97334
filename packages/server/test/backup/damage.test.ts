import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openBackupFolder } from '../../src/database/backup/backup-folder.ts';
import { createBackupKey } from '../../src/database/backup/backup-key.ts';
import { checkBackup, findBackup } from '../../src/database/backup/read-backup.ts';
import { checkEncryptionKeys, restoreBackup } from '../../src/database/backup/restore-backup.ts';
import { migrate, migrationLock, readMigrations } from '../../src/database/migrate.ts';
import { jobTablesOf } from '../../src/jobs/job-tables.ts';
import { newId } from '../../src/lib/new-id.ts';
import { createKeyRing, keyId } from '../../src/secrets/key-ring.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { eventually } from '../support/chat.ts';
import { bundledCommand, runCommand } from '../support/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { type BackupStage, openBackupStage } from './backup-stage.ts';

let source: TestDatabase;
const workspaceId = newId();
beforeAll(async () => {
  source = await createTestDatabase();
  await run(`insert into workspaces (id, name) values ('${workspaceId}', 'Acme')`);
  // What cannot be compressed away, and one row that is larger than a chunk.
  for (let index = 0; index < 20; index += 1) await addSource(100_000);
  await addSource(2_500_000);
  await addSealed(source.encryptionKey);
});
afterAll(() => source.drop());

let backups: BackupStage;
beforeEach(async () => {
  backups = await openBackupStage();
});
afterEach(() => backups.remove());

const run = (text: string, values: unknown[] = []) => source.database.acrossWorkspaces.raw(text, values);

async function addSource(bytes: number): Promise<void> {
  await run(
    `insert into knowledge (id, workspace_id, title, content_type, content) values ($1, $2, 'A text', 'text', $3)`,
    [newId(), workspaceId, randomBytes(bytes).toString('hex')],
  );
}

/** A stored answer that only this key opens. */
async function addSealed(encryptionKey: Buffer): Promise<void> {
  await run(
    `insert into idempotency_records (workspace_id, key, request_hash, node_id, expires_at)
     values ($1, $2, $3, gen_random_uuid(), now() + interval '1 day')`,
    [workspaceId, newId(), createSecretBox(createKeyRing(encryptionKey)).seal('x', 'x')],
  );
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

const chunksOf = () => filesOf(join(backups.path, 'chunks'));
const find = (at?: string, folder = backups.folder) => findBackup(folder, at, () => undefined);
const check = async () => checkBackup(backups.folder, await find());
/** The ids of the backups that can be read. */
const list = async () => (await backups.folder.list()).manifests.map(({ id }) => id);

/** Neither a restore nor a check accepts the folder, and nothing is restored. */
async function expectRefusal(message: string): Promise<void> {
  await expect(check()).rejects.toThrow(message);
  const target = await createTestDatabase({ migrated: false });
  try {
    await expect(backups.restoreInto(target)).rejects.toThrow(message);
    const { rows } = await target.database.acrossWorkspaces.raw(
      `select from pg_class where relnamespace = 'public'::regnamespace`,
    );
    expect(rows).toEqual([]);
  } finally {
    await target.drop();
  }
}

describe('a damaged backup', () => {
  beforeEach(() => backups.write(source));

  it('is not restored if a byte of a chunk has changed', async () => {
    const [path = ''] = await chunksOf();
    const content = await readFile(path);
    const place = content.length - 5;
    content[place] = (content[place] ?? 0) ^ 1;
    await writeFile(path, content);
    await expectRefusal(`The backup is damaged: ${path} cannot be read, or was changed.`);
  });

  it('is not restored if a chunk is missing', async () => {
    const path = (await chunksOf()).at(-1) ?? '';
    await rm(path);
    await expectRefusal(`The backup is damaged: ${path} is missing.`);
  });

  it('is not restored if a file was cut off, is empty, or far too long', async () => {
    const [path = ''] = await chunksOf();
    const { size } = await stat(path);
    for (const length of [size - 1, 20, 0, 10_000_000]) {
      await truncate(path, length);
      await expect(check()).rejects.toThrow(`${path} cannot be read, or was changed.`);
    }
  });

  it('is not restored if chunks were swapped', async () => {
    const [one = '', other = ''] = await chunksOf();
    await copyFile(one, `${one}.kept`);
    await copyFile(other, one);
    await rename(`${one}.kept`, other);
    await expectRefusal('cannot be read, or was changed.');
  });

  it('is not restored if a chunk is a link to another file', async () => {
    const [path = ''] = await chunksOf();
    await rename(path, join(backups.path, 'elsewhere'));
    await symlink(join(backups.path, 'elsewhere'), path);
    await expectRefusal(`${path} cannot be read, or was changed.`);
  });

  it('is not restored under the id of another', async () => {
    const [id = ''] = await readdir(join(backups.path, 'backups'));
    const later = id.replace(/^\d{4}/, '2099');
    await copyFile(join(backups.path, 'backups', id), join(backups.path, 'backups', later));
    await expect(find(later)).rejects.toThrow(`${later} cannot be read with this SVC_BACKUP_KEY`);
    expect((await find()).id).toBe(id);
  });

  it('is repaired by the next backup as far as the rows are still there', async () => {
    const [first = '', second = ''] = await chunksOf();
    await truncate(first, 20);
    await rm(second);
    const { newChunks } = await backups.write(source);
    expect(newChunks).toBe(2);
    await check();
  });
});

describe('keys', () => {
  it('are needed to read, and to add to a folder: one with another key stays as it is', async () => {
    await backups.write(source);
    const before = await filesOf(backups.path);
    const key = createBackupKey(randomBytes(32));
    const other = { ...backups, key, folder: openBackupFolder(backups.path, key) };
    await expect(find(undefined, other.folder)).rejects.toThrow('cannot be read with this SVC_BACKUP_KEY');
    const args = ['backup', backups.path, '--keep', '1'];
    const environment = { ...source.environment, SVC_BACKUP_KEY: randomBytes(32).toString('base64') };
    const refused = await runCommand(args, environment);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('it was written with another key, or is damaged');
    expect(refused.stderr).not.toContain(environment.SVC_BACKUP_KEY);
    expect(await filesOf(backups.path)).toEqual(before);
  });

  it('of the installation are asked for before anything is written', async () => {
    const { manifest } = await backups.write(source);
    checkEncryptionKeys(manifest, createKeyRing(randomBytes(32), [source.encryptionKey]));
    expect(() => checkEncryptionKeys(manifest, createKeyRing(randomBytes(32)))).toThrow(
      'were encrypted with another key than this installation has',
    );
    const target = await createTestDatabase({ migrated: false });
    const data = await mkdtemp(join(tmpdir(), 'svc-data-'));
    const keys = { SVC_BACKUP_KEY: backups.keyText };
    const wrong = await runCommand(['restore', backups.path], { ...target.environment, ...keys });
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toContain('set SVC_ENCRYPTION_KEY to that of the installation');
    const none = await runCommand(['restore', backups.path], { ...keys, SVC_DATA_DIR: data });
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toContain(`copy its file encryption-key to ${data}`);
    expect(await readdir(data)).toEqual([]);
    await target.drop();
    await rm(data, { recursive: true });
  });

  it('of the installation must open everything, or nothing is written', async () => {
    const [wrong, previous] = [randomBytes(32), randomBytes(32)];
    const environment = { ...source.environment, SVC_BACKUP_KEY: backups.keyText };
    const refused = await runCommand(['backup', backups.path], {
      ...environment,
      SVC_ENCRYPTION_KEY: wrong.toString('base64'),
    });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(
      'does not open what is stored in idempotency_records: set SVC_ENCRYPTION_KEY',
    );
    expect(await chunksOf()).toEqual([]);

    // In the middle of a rotation both are needed; a key that nothing was sealed with is not.
    await addSealed(previous);
    await expect(backups.write(source)).rejects.toThrow('SVC_ENCRYPTION_KEY_PREVIOUS');
    const written = await runCommand(['backup', backups.path], {
      ...environment,
      SVC_ENCRYPTION_KEY: wrong.toString('base64'),
      SVC_ENCRYPTION_KEY_PREVIOUS: [source.encryptionKey, previous]
        .map((key) => key.toString('base64'))
        .join(','),
    });
    expect(written, written.stderr).toMatchObject({ code: 0 });
    const manifest = await find();
    checkEncryptionKeys(manifest, createKeyRing(source.encryptionKey, [previous]));
    for (const one of [source.encryptionKey, previous])
      expect(() => checkEncryptionKeys(manifest, createKeyRing(wrong, [one]))).toThrow(
        'SVC_ENCRYPTION_KEY_PREVIOUS',
      );
    await run(`delete from idempotency_records where substr(request_hash, 1, 8) = $1`, [keyId(previous)]);
  });

  it('have to be set', async () => {
    for (const args of [['backup'], ['backups'], ['restore']])
      expect(await runCommand([...args, backups.path], source.environment)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('SVC_BACKUP_KEY is required: 32 random bytes as base64'),
      });
  });

  it('leave nothing readable in the folder', async () => {
    await run(`update workspaces set name = 'canary of a name'`);
    const { manifest } = await backups.write(source);
    const files = await filesOf(backups.path);
    for (const path of files) {
      const content = await readFile(path, 'latin1');
      expect(content).not.toContain('canary of a name');
      expect(content).not.toContain(backups.keyText);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    }
    const { database } = await backups.restore(manifest.id);
    const { rows } = await database.acrossWorkspaces.raw('select name from workspaces');
    expect(rows).toEqual([{ name: 'canary of a name' }]);
  });
});

describe('the folder', () => {
  it('keeps what is not of a backup, and removes what broken-off ones left behind', async () => {
    await writeFile(join(backups.path, 'notes.txt'), 'mine');
    await mkdir(join(backups.path, 'chunks', 'zz'), { recursive: true });
    await writeFile(join(backups.path, 'chunks', 'zz', 'mine'), 'mine');
    await backups.write(source);
    await writeFile(join(backups.path, 'unfinished', newId()), 'half a chunk');
    await writeFile(join(backups.path, 'backups', 'mine'), 'mine');
    await backups.write(source, 1);
    expect(await readdir(join(backups.path, 'unfinished'))).toEqual([]);
    for (const path of ['notes.txt', 'chunks/zz/mine', 'backups/mine'])
      expect(await readFile(join(backups.path, path), 'utf8')).toBe('mine');
    expect(await list()).toHaveLength(1);
    await check();
  });

  it('is not written to through a link', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'svc-elsewhere-'));
    await symlink(elsewhere, join(backups.path, 'chunks'));
    await expect(backups.write(source)).rejects.toThrow('chunks must be a folder, not a link.');
    expect(await readdir(elsewhere)).toEqual([]);
    await rm(elsewhere, { recursive: true });
  });

  it('takes one backup at a time, and that of a process that is gone only in part', async () => {
    const lock = await backups.folder.lock();
    await expect(backups.write(source)).rejects.toThrow('Another backup is being written to');
    await lock.release();
    const path = join(backups.path, 'lock');
    const holder = { id: newId(), host: 'another-machine', processId: 1 };
    await writeFile(path, JSON.stringify(holder));
    await expect(backups.write(source)).rejects.toThrow('Another backup is being written to');
    await age(path, 60);
    await expect(backups.write(source)).rejects.toThrow('Another backup is being written to');
    await age(path, 130);
    await backups.write(source);
    expect(existsSync(path)).toBe(false);

    // No process has this number here, but in another container one may, and its lock is renewed.
    await writeFile(path, JSON.stringify({ ...holder, host: hostname(), processId: 4_194_305 }));
    await expect(backups.write(source)).rejects.toThrow('Another backup is being written to');
    await age(path, 35);
    await backups.write(source);
    expect(existsSync(path)).toBe(false);
  });

  const age = (path: string, seconds: number) => {
    const then = new Date(Date.now() - seconds * 1000);
    return utimes(path, then, then);
  };

  it('does not lose what another process holds after the lock was taken over', async () => {
    const lock = await backups.folder.lock();
    const path = join(backups.path, 'lock');
    await writeFile(path, JSON.stringify({ id: newId(), host: 'another-machine', processId: 1 }));
    await expect(lock.check()).rejects.toThrow('was taken over by another backup');
    await lock.release();
    expect(existsSync(path)).toBe(true);
  });

  it('grows by what has changed, and shrinks to what the kept backups need', async () => {
    const first = await backups.write(source);
    expect(first.newBytes).toBeGreaterThan(4_000_000);
    await run(`update workspaces set name = 'Renamed'`);
    // At the end of its table: where a change in the middle meets a chunk that is there already depends on the texts.
    await addSource(1000);
    const second = await backups.write(source);
    // The chunk of the workspaces, the last one of the sources, and perhaps one more behind that.
    expect(second.newChunks).toBeLessThanOrEqual(3);
    const both = await chunksOf();
    const third = await backups.write(source, 2);
    expect(third.removedBackups).toEqual([first.manifest.id]);
    expect(await list()).toEqual([second.manifest.id, third.manifest.id]);
    expect((await chunksOf()).length).toBeLessThan(both.length);
    await check();
  });

  it('is used without a backup that cannot be read, beside which nothing is removed', async () => {
    const environment = { ...source.environment, SVC_BACKUP_KEY: backups.keyText };
    const first = await backups.write(source);
    await run(`update workspaces set name = 'Half copied'`);
    const { manifest: broken } = await backups.write(source);
    const path = join(backups.path, 'backups', broken.id);
    await truncate(path, Math.floor((await stat(path)).size / 2));
    await expect(find(broken.id)).rejects.toThrow(`${path} cannot be read`);
    expect(await find(first.manifest.id)).toEqual(first.manifest);
    const checked = await runCommand(['restore', backups.path, '--check'], environment);
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining(first.manifest.id) });
    expect(checked.stderr).toContain(`Left out: ${path} cannot be read`);

    await run(`update workspaces set name = 'Written beside it'`);
    const chunks = await chunksOf();
    const written = await runCommand(['backup', backups.path, '--keep', '1', '--json'], environment);
    expect(written, written.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(written.stdout)).toMatchObject({ removed_backups: [] });
    expect(written.stderr).toContain('Nothing was removed');
    expect(await chunksOf()).toEqual(expect.arrayContaining(chunks));
    expect(await list()).toHaveLength(2);

    await rm(path);
    expect((await backups.write(source, 1)).removedBackups).toHaveLength(2);
    expect((await chunksOf()).length).toBeLessThan(chunks.length);
    await check();
  });

  it('is searched by id and by time', async () => {
    const [first, second] = [await backups.write(source), await backups.write(source)];
    expect(await find()).toEqual(second.manifest);
    expect(await find(first.manifest.id)).toEqual(first.manifest);
    expect(await find(first.manifest.takenAt)).toEqual(first.manifest);
    expect(await find('2099-01-01')).toEqual(second.manifest);
    const unknown = first.manifest.id.replace(/^\d{4}/, '2001');
    await expect(find(unknown)).rejects.toThrow(`There is no backup ${unknown} in ${backups.path}.`);
    await expect(find('2001-01-01')).rejects.toThrow(`The first backup in ${backups.path} is of`);
    await expect(find('yesterday')).rejects.toThrow('--at must be the id of a backup or a time');
    const empty = openBackupFolder(join(backups.path, 'none'), backups.key);
    await expect(find(undefined, empty)).rejects.toThrow('There is no backup in');
  });

  it('names the problem if it cannot be written to', async () => {
    const file = join(backups.path, 'file');
    await writeFile(file, '');
    const command = (path: string) =>
      runCommand(['backup', path], { ...source.environment, SVC_BACKUP_KEY: backups.keyText });
    const notFolder = await command(join(file, 'below'));
    expect(notFolder).toMatchObject({ code: 1, stdout: '' });
    expect(notFolder.stderr).toContain('A part of its path is not a folder.');
  });

  it('has no part of a file when the system writes no more, and the next attempt continues', async () => {
    // The limit stands for a disk that is full: a write fails in the middle of a file.
    const limited = 'ulimit -f 1000; exec "$0" "$@"';
    const child = spawn('sh', ['-c', limited, process.execPath, bundledCommand, 'backup', backups.path], {
      env: { PATH: process.env['PATH'], ...source.environment, SVC_BACKUP_KEY: backups.keyText },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let output = '';
    child.stderr.on('data', (part: Buffer) => {
      output += part.toString();
    });
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(output).toContain('Run the command again afterwards: it writes only what is missing.');
    expect(await readdir(join(backups.path, 'backups'))).toEqual([]);
    const written = await chunksOf();
    expect(written.length).toBeGreaterThan(0);
    const { chunks, newChunks } = await backups.write(source);
    expect(newChunks).toBe(chunks - written.length);
    await check();
  });
});

describe('a lost connection', () => {
  const end = ({ database }: TestDatabase, name: string) =>
    database.acrossWorkspaces.raw(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = $1 and datname = current_database()`,
      [name],
    );

  it('ends a backup, which continues when it is run again', async () => {
    const locker = await source.database.connect('test');
    await locker.query('begin; lock table workspaces in access exclusive mode');
    const writing = backups.write(source);
    // It is awaited below, when it has failed.
    writing.catch(() => undefined);
    const waiting = `select pid from pg_locks join pg_stat_activity using (pid)
      where not granted and application_name = 'svc backup' and datname = current_database()`;
    await eventually(async () => (await run(waiting)).rows).toHaveLength(1);
    await end(source, 'svc backup');
    await expect(writing).rejects.toThrow('Run the command again: it writes only what is missing.');
    await locker.end();
    expect(await list()).toEqual([]);
    const { chunks, newChunks } = await backups.write(source);
    expect(newChunks).toBeLessThan(chunks);
    await check();
  });

  it('leaves nothing of a restore, which can be run again', async () => {
    const { manifest } = await backups.write(source);
    const target = await createTestDatabase({ migrated: false });
    let read = 0;
    const folder = {
      ...backups.folder,
      async readChunk(name: string) {
        read += 1;
        if (read === 4) await end(target, 'svc restore');
        return backups.folder.readChunk(name);
      },
    };
    const { key } = backups;
    const options = {
      database: target.database,
      folder,
      key,
      manifest,
      jobTablesOf,
      onProgress: () => undefined,
    };
    await expect(restoreBackup(options)).rejects.toThrow('Nothing was restored: run the command again.');
    const { rows } = await target.database.acrossWorkspaces.raw(
      `select from pg_class where relnamespace = 'public'::regnamespace`,
    );
    expect(rows).toEqual([]);
    await restoreBackup(options);
    const sources = 'select id from knowledge order by id';
    const found = await target.database.acrossWorkspaces.raw(sources);
    expect(found.rows).toEqual((await run(sources)).rows);
    await target.drop();
  });
});

it('lets nodes start while it is written, and only migrations wait for it', async () => {
  const writer = await source.database.connect('svc backup');
  const [newest] = (await readMigrations()).slice(-1);
  await writer.query('select pg_advisory_lock_shared($1)', [migrationLock]);
  expect(await migrate(source.database)).toEqual([]);
  const empty = await createTestDatabase({ migrated: false });
  const ofEmpty = await empty.database.connect('svc backup');
  await ofEmpty.query('select pg_advisory_lock_shared($1)', [migrationLock]);
  const migrating = migrate(empty.database);
  const waiting = `select pid from pg_locks where not granted and locktype = 'advisory' and database =
    (select oid from pg_database where datname = current_database())`;
  await eventually(async () => (await empty.database.acrossWorkspaces.raw(waiting)).rows).toHaveLength(1);
  await ofEmpty.end();
  expect((await migrating).at(-1)).toBe(newest?.name);
  await writer.end();
  await empty.drop();
});

it('is not written by a PostgreSQL user who would see no rows', async () => {
  const user = `reader_${randomBytes(4).toString('hex')}`;
  await run(
    `create role ${user} login password 'x'; grant select on all tables in schema public to ${user}; grant select on all tables in schema pgboss to ${user}; grant usage on schema pgboss to ${user}`,
  );
  const address = new URL(source.environment.DATABASE_URL.replace('@/', '@localhost/'));
  address.username = user;
  address.password = 'x';
  const refused = await runCommand(['backup', backups.path], {
    ...source.environment,
    DATABASE_URL: address.href.replace('@localhost/', '@/'),
    SVC_BACKUP_KEY: backups.keyText,
  });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('This PostgreSQL user may not read all rows');
  await run(`drop owned by ${user}; drop role ${user}`);
});
