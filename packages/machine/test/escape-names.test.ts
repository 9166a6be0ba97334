import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { FileText } from '@svc/contract/machine-protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { useFileFolders } from './support/file-folders.ts';
import { createOutside } from './support/outside.ts';

const secret = 'the secret of somebody else';

describe('names that could lead out of the root', () => {
  const folders = useFileFolders();
  const { staysOut } = createOutside(folders, secret);
  beforeEach(() => {
    writeFileSync(join(folders.outside, 'secret.txt'), secret);
    writeFileSync(join(folders.root, 'inside.txt'), 'inside');
    mkdirSync(join(folders.root, 'folder'));
  });

  it('refuses names that cannot be', async () => {
    await staysOut('in\0side.txt');
    await staysOut('x'.repeat(256));
    await staysOut('é'.repeat(128));
    await staysOut(`${'d/'.repeat(2040)}f`);
    await staysOut('\ud800');
    expect(await folders.refusal('read_file', { path: 'inside.txt\0.png' })).toContain('NUL');
    expect(await folders.refusal('check_workdir', {}, { workdir: `${folders.root}\0` })).toContain(
      'not a folder',
    );
  });

  it('uses unusual names literally', async () => {
    const names = [
      'a\nb',
      ' leading',
      'trailing ',
      'trailing.',
      '...',
      '-rf',
      'é',
      'e\u0301',
      '~',
      '$HOME',
      '*',
      'a:b',
      'a\\b',
    ];
    for (const path of process.platform === 'linux' ? names : []) {
      await folders.value('write_file', { path, content: path });
      expect(readFileSync(join(folders.root, path), 'utf8')).toBe(path);
    }
    const longest = 'x'.repeat(255);
    await folders.value('write_file', { path: longest, content: 'long' });
    expect(readFileSync(join(folders.root, longest), 'utf8')).toBe('long');
  });

  it('writes nothing into a .git folder, however its name is spelled', async () => {
    mkdirSync(join(folders.root, '.git'));
    writeFileSync(join(folders.root, '.git/config'), 'config');
    symlinkSync('.git', join(folders.root, 'link'));
    mkdirSync(join(folders.root, 'folder/.git'));
    for (const name of [
      '.git',
      '.GIT',
      '.Git',
      '.git.',
      '.git ',
      '.g\u200cit',
      'GIT~1',
      '.git::$INDEX_ALLOCATION',
      '．git',
      'folder/.git',
      'link',
    ])
      for (const path of [`${name}/config`, `${name}/hooks/pre-commit`])
        expect([path, await folders.refusal('write_file', { path, content: 'x' })]).toEqual([
          path,
          expect.stringContaining('.git folder'),
        ]);
    for (const name of ['.gitignore', '.github', 'git', 'x.git'])
      await folders.value('write_file', { path: name, content: 'fine' });
    const deletion =
      '--- a/.git/config\n+++ /dev/null\n@@ -1 +0,0 @@\n-config\n\\ No newline at end of file\n';
    expect(await folders.refusal('apply_patch', { patch: deletion })).toContain('.git folder');
    expect(readFileSync(join(folders.root, '.git/config'), 'utf8')).toBe('config');
    writeFileSync(join(folders.root, '.git/HEAD'), 'head');
    expect(await folders.value<FileText>('read_file', { path: '.git/HEAD' })).toMatchObject({ text: 'head' });
  });

  it('does not take another spelling of the root for the root', async () => {
    const other = join(folders.root, '..', basename(folders.root).toUpperCase());
    mkdirSync(other);
    writeFileSync(join(other, 'secret.txt'), secret);
    if (process.platform === 'linux') await staysOut(join(other, 'secret.txt'));
  });
});
