import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fewer } from '../../server/test/support/sample.ts';
import { useFileFolders } from './support/file-folders.ts';

const operations = fewer(2000);
const writeEvery = 15;
const searchEvery = 20;

/** Swaps a folder and a file for links to the same names outside, as fast as it can. */
const swapper = `
  const { renameSync, statSync, symlinkSync, unlinkSync } = require('node:fs');
  const [root, outside] = process.argv.slice(1);
  process.chdir(root);
  // Its output is the test runner's, which would wait for it if this process outlived the test.
  process.on('disconnect', () => process.exit());
  process.send('ready');
  const attempt = (action) => { try { action(); } catch {} };
  const swap = () => {
    for (let round = 0; round < 200; round += 1) {
      attempt(() => renameSync('folder', 'folder-away'));
      attempt(() => symlinkSync(outside, 'folder'));
      attempt(() => renameSync('file.txt', 'file-away'));
      attempt(() => symlinkSync(outside + '/file.txt', 'file.txt'));
      attempt(() => unlinkSync('folder'));
      attempt(() => renameSync('folder-away', 'folder'));
      attempt(() => unlinkSync('file.txt'));
      attempt(() => renameSync('file-away', 'file.txt'));
      // About half of the time nothing is swapped, so that work begins and is interrupted.
      for (let pause = 0; pause < 8; pause += 1) attempt(() => statSync('folder'));
    }
    setImmediate(swap);
  };
  swap();
`;

describe.runIf(process.platform !== 'win32')('links that are swapped in while files are used', () => {
  const folders = useFileFolders();

  it('never leads to a file outside', async () => {
    for (const folder of [folders.root, folders.outside])
      writeFileSync(join(folder, 'file.txt'), content(folder));
    mkdirSync(join(folders.root, 'folder/deep'), { recursive: true });
    mkdirSync(join(folders.outside, 'deep'));
    for (const folder of [join(folders.root, 'folder'), folders.outside])
      writeFileSync(
        join(folder, 'deep/file.txt'),
        content(folders.root === join(folder, '..') ? folders.root : folders.outside),
      );
    symlinkSync('folder', join(folders.root, 'link'));
    const swapping = spawn(process.execPath, ['-e', swapper, folders.root, folders.outside], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    try {
      await once(swapping, 'message');
      const statuses = new Map<string, number>();
      const paths = ['file.txt', 'folder/deep/file.txt', 'link/deep/file.txt', 'folder/file.txt'];
      // Some must succeed and some must meet a link, otherwise nothing was tried.
      const kinds = ['read_file ok', 'read_file error', 'write_file ok', 'search ok'];
      const isTried = () => kinds.every((kind) => (statuses.get(kind) ?? 0) > 5);
      for (let index = 0; index < operations || !isTried(); index += 1) {
        const path = paths[index % paths.length] ?? '';
        const [name, given] =
          index % writeEvery === 0
            ? (['write_file', { path: `${path}.${index}`, content: 'written' }] as const)
            : index % searchEvery === 1
              ? (['search', { query: 'content' }] as const)
              : (['read_file', { path }] as const);
        const outcome = await folders.perform(name, given);
        expect(JSON.stringify(outcome)).not.toContain('outside-content');
        const kind = `${name} ${outcome.status}`;
        statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
      }
    } finally {
      swapping.kill('SIGKILL');
    }
    expect(readdirSync(folders.outside)).toEqual(['deep', 'file.txt']);
    expect(readdirSync(join(folders.outside, 'deep'))).toEqual(['file.txt']);
    for (const name of ['file.txt', 'deep/file.txt'])
      expect(readFileSync(join(folders.outside, name), 'utf8')).toBe('outside-content');
  });

  function content(folder: string): string {
    return folder === folders.outside ? 'outside-content' : 'inside-content';
  }
});
