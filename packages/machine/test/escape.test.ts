import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { FileText, ListedFiles, PreviewedCommand, SearchMatches } from '@svc/contract/machine-protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { useFileFolders } from './support/file-folders.ts';
import { createOutside } from './support/outside.ts';

const secret = 'the secret of somebody else';

describe('staying inside of the root', () => {
  const folders = useFileFolders();
  beforeEach(() => {
    writeFileSync(join(folders.outside, 'secret.txt'), secret);
    writeFileSync(join(folders.root, 'inside.txt'), 'inside');
    mkdirSync(join(folders.root, 'folder'));
  });

  const { staysOut, expectOutsideUntouched } = createOutside(folders, secret);

  it('refuses .. and absolute paths', async () => {
    await staysOut('../outside/secret.txt');
    await staysOut('folder/../../outside/secret.txt');
    await staysOut('folder/../../outside/new.txt');
    await staysOut(join(folders.outside, 'secret.txt'));
    await staysOut(`${folders.root}/../outside/secret.txt`);
    await staysOut(`${folders.root}//./../outside/./secret.txt`);
  });

  it('follows .. and absolute paths that stay inside', async () => {
    for (const path of [
      'folder/../inside.txt',
      `${folders.root}/inside.txt`,
      '../root/inside.txt',
      './/inside.txt',
      'folder/./../inside.txt',
      'inside.txt/.',
    ])
      expect(await folders.value<FileText>('read_file', { path })).toMatchObject({
        path: 'inside.txt',
        text: 'inside',
      });
  });

  it('does not take a folder whose name begins with the root for the root', async () => {
    const evil = `${folders.root}-evil`;
    mkdirSync(evil);
    writeFileSync(join(evil, 'secret.txt'), secret);
    await staysOut(join(evil, 'secret.txt'));
    await staysOut('../root-evil/secret.txt');
    expect(await folders.refusal('check_workdir', {}, { workdir: evil })).toContain('not a folder inside');
  });

  it('refuses links out of the root: files, folders, chains, relative and absolute ones', async () => {
    const link = (target: string, name: string) => symlinkSync(target, join(folders.root, name));
    link(join(folders.outside, 'secret.txt'), 'file');
    link('../outside/secret.txt', 'relative');
    link(folders.outside, 'directory');
    link('file', 'chain');
    link('directory', 'folder/up');
    link('../directory', 'folder/chain');
    for (const path of ['file', 'relative', 'directory/secret.txt', 'chain', 'folder/chain/secret.txt'])
      await staysOut(path);
    expect(await folders.value<ListedFiles>('list_files', { depth: 5 })).toMatchObject({ truncated: false });
    const listed = await folders.value<ListedFiles>('list_files', { depth: 5 });
    expect(listed.entries.map(({ path }) => path)).not.toContain('directory/secret.txt');
    const found = await folders.value<SearchMatches>('search', { query: 'secret' });
    expect(found.matches).toEqual([]);
  });

  it('follows links inside of the root, and keeps them when their target is written', async () => {
    symlinkSync('inside.txt', join(folders.root, 'link'));
    symlinkSync('../inside.txt', join(folders.root, 'folder/link'));
    symlinkSync(join(folders.root, 'folder'), join(folders.root, 'absolute'));
    symlinkSync('new.txt', join(folders.root, 'dangling'));
    for (const path of ['link', 'folder/link', 'absolute/link', 'absolute/../inside.txt'])
      expect(await folders.value<FileText>('read_file', { path })).toMatchObject({ path: 'inside.txt' });
    await folders.value('write_file', { path: 'absolute/link', content: 'changed' });
    await folders.value('write_file', { path: 'dangling', content: 'created' });
    expect(readFileSync(join(folders.root, 'inside.txt'), 'utf8')).toBe('changed');
    expect(readFileSync(join(folders.root, 'new.txt'), 'utf8')).toBe('created');
    expect(lstatSync(join(folders.root, 'dangling')).isSymbolicLink()).toBe(true);
  });

  it('refuses links that lead in circles, and links to what does not exist outside', async () => {
    symlinkSync('two', join(folders.root, 'one'));
    symlinkSync('one', join(folders.root, 'two'));
    symlinkSync('self/self', join(folders.root, 'self'));
    symlinkSync(join(folders.outside, 'new.txt'), join(folders.root, 'dangling'));
    symlinkSync(join(folders.outside, 'new/folder'), join(folders.root, 'nowhere'));
    for (const path of ['one', 'self', 'self/x', 'dangling', 'nowhere/file', 'one/x']) await staysOut(path);
  });

  it('does not tell what exists outside', async () => {
    symlinkSync(join(folders.outside, 'secret.txt'), join(folders.root, 'there'));
    symlinkSync(join(folders.outside, 'absent.txt'), join(folders.root, 'gone'));
    const there = await folders.refusal('read_file', { path: 'there' });
    const gone = await folders.refusal('read_file', { path: 'gone' });
    expect(there.replace('there', 'gone')).toBe(gone);
    const workdirs = [folders.outside, join(folders.outside, 'absent')];
    const messages = await Promise.all(
      workdirs.map(async (workdir) =>
        (await folders.refusal('check_workdir', {}, { workdir })).replace(workdir, ''),
      ),
    );
    expect(messages[0]).toBe(messages[1]);
  });

  it.runIf(process.platform === 'linux')('refuses the other ways that the kernel offers', async () => {
    const away = join(folders.outside, 'secret.txt');
    symlinkSync('/proc/self/root', join(folders.root, 'root-link'));
    for (const path of [
      `/proc/self/root${away}`,
      '/proc/self/cwd/../outside/secret.txt',
      '/proc/self/cwd/secret.txt',
      '/dev/fd/0',
      '/dev/stdin',
      '/proc/self/fd/1',
      '/proc/self/environ',
      `root-link${away}`,
      '//proc/self/environ',
    ])
      await staysOut(path);
  });

  it('replaces a file with a hard link, so that its other name outside keeps its content', async () => {
    linkSync(join(folders.outside, 'secret.txt'), join(folders.root, 'hard'));
    await folders.value('write_file', { path: 'hard', content: 'new' });
    expect(readFileSync(join(folders.root, 'hard'), 'utf8')).toBe('new');
    await folders.value('edit_file', { path: 'hard', old_text: 'new', new_text: 'newer' });
    expectOutsideUntouched();
  });

  it.runIf(process.platform !== 'win32')(
    'refuses pipes, sockets, devices and folders without waiting',
    async () => {
      execFileSync('mkfifo', [join(folders.root, 'pipe')]);
      const server = createServer().listen(join(folders.root, 'socket'));
      symlinkSync('/dev/zero', join(folders.root, 'zero'));
      try {
        for (const [path, kind] of [
          ['pipe', 'a named pipe'],
          ['socket', 'a socket'],
          ['folder', 'a folder'],
          ['zero', 'outside'],
        ] as const) {
          expect(await folders.refusal('read_file', { path })).toContain(kind);
          expect(await folders.refusal('write_file', { path, content: 'x' })).toContain(kind);
        }
        expect((await folders.value<SearchMatches>('search', { query: 'inside' })).matches).toHaveLength(1);
      } finally {
        server.close();
      }
    },
  );

  it.runIf(process.getuid?.() === 0)('refuses devices inside of the root', async ({ skip }) => {
    const made = spawnSync('mknod', [join(folders.root, 'null'), 'c', '1', '3']);
    skip(made.status !== 0, 'In some containers root may not create devices.');
    expect(await folders.refusal('read_file', { path: 'null' })).toContain('a device');
    expect(await folders.refusal('write_file', { path: 'null', content: 'x' })).toContain('a device');
  });

  it.runIf(process.platform !== 'win32' && process.getuid?.() !== 0)(
    'reports folders without permission',
    async () => {
      chmodSync(join(folders.root, 'folder'), 0);
      try {
        expect(await folders.refusal('read_file', { path: 'folder/x' })).toContain('permission');
        expect(await folders.refusal('write_file', { path: 'folder/x', content: 'x' })).toContain(
          'permission',
        );
        expect(await folders.refusal('list_files', { path: 'folder' })).toContain('permission');
        expect(await folders.value<ListedFiles>('list_files', { depth: 3 })).toMatchObject({
          truncated: false,
        });
      } finally {
        chmodSync(join(folders.root, 'folder'), 0o755);
      }
    },
  );

  it('notices that the root was replaced by a link, deleted, or made again', async () => {
    const away = `${folders.root}-away`;
    renameSync(folders.root, away);
    symlinkSync(folders.outside, folders.root);
    await staysOut('secret.txt');
    expect(await folders.refusal('check_workdir', {})).toContain('not a folder inside');
    rmSync(folders.root);
    expect(await folders.refusal('read_file', { path: 'inside.txt' })).toContain('not a folder inside');
    expect(await folders.refusal('write_file', { path: 'inside.txt', content: 'x' })).toContain(
      'not a folder',
    );
    expect(existsSync(folders.root)).toBe(false);
    renameSync(away, folders.root);
    expect(await folders.value<FileText>('read_file', { path: 'inside.txt' })).toMatchObject({
      text: 'inside',
    });
  });

  it('checks the folder that a command will run in', async () => {
    symlinkSync(folders.outside, join(folders.root, 'link'));
    const preview = (path: string) => ({ operation: 'run_command', arguments: { command: 'ls', path } });
    const previewed = await folders.value<PreviewedCommand>('preview', preview('folder'));
    expect(previewed).toEqual({
      cwd: join(folders.root, 'folder'),
      basis: { cwd: join(folders.root, 'folder') },
    });
    for (const path of ['..', 'link', '/', 'inside.txt', 'absent'])
      await folders.refusal('preview', preview(path));
  });

  it('accepts a working directory that is named through a link', async () => {
    const alias = join(folders.outside, '..', 'alias');
    symlinkSync(folders.root, alias);
    const read = await folders.perform('read_file', { path: join(alias, 'inside.txt') }, { workdir: alias });
    expect(read).toMatchObject({ status: 'ok', value: { path: 'inside.txt', text: 'inside' } });
  });
});
