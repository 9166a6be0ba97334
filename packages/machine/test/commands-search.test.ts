import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isSandboxPossible } from './support/sandbox-possible.ts';
import { type Commands, useCommands } from './support/use-commands.ts';

const ways = [
  { way: 'in the sandbox', isSandboxed: true },
  { way: 'without a sandbox', isSandboxed: false },
].filter(({ isSandboxed }) => !isSandboxed || isSandboxPossible);

describe.each(ways)('search with ripgrep $way', ({ isSandboxed }) => {
  it('finds text and regular expressions, and leaves out what git ignores', async () => {
    const { search, root } = await useCommands({ isSandboxed });
    await fill(root, {
      'a.ts': 'one\nneedle (1)\r\nthree\n',
      'folder/b.js': 'Needle (1)\n',
      'folder/.hidden': 'needle (1)\n',
      '.gitignore': 'ignored\n',
      ignored: 'needle (1)\n',
      '.git/config': 'needle (1)\n',
      'node_modules/x.js': 'needle (1)\n',
      binary: 'needle (1)\n\0\0',
      '-dash': '--needle\n',
    });
    const hidden = { path: 'folder/.hidden', line: 1, text: 'needle (1)' };
    const first = { path: 'a.ts', line: 2, text: 'needle (1)' };
    const upper = { path: 'folder/b.js', line: 1, text: 'Needle (1)' };
    expect(await search({ query: 'needle (' })).toEqual({
      matches: [first, hidden],
      truncated: false,
      engine: 'ripgrep',
    });
    expect((await search({ query: 'needle (1', ignore_case: true })).matches).toEqual([first, hidden, upper]);
    expect((await search({ query: String.raw`needle \(\d`, regex: true, glob: '*.ts' })).matches).toEqual([
      first,
    ]);
    expect((await search({ query: 'eedle', path: 'folder', glob: '*.js' })).matches).toEqual([upper]);
    expect((await search({ query: '--needle' })).matches).toEqual([
      { path: '-dash', line: 1, text: '--needle' },
    ]);
    expect((await search({ query: 'missing' })).matches).toEqual([]);
    await expect(search({ query: '(', regex: true })).rejects.toThrow('unclosed group');
  });

  it('follows no links, uses no settings, and leaves single files to the built-in search', async () => {
    const settings = join(dirname(import.meta.filename), 'missing');
    const environment = { ...process.env, RIPGREP_CONFIG_PATH: settings };
    const { search, root, otherRoot } = await useCommands({ isSandboxed, environment });
    await fill(otherRoot, { secret: 'needle\n' });
    await symlink(otherRoot, join(root, 'link'));
    await symlink(join(otherRoot, 'secret'), join(root, 'file'));
    expect((await search({ query: 'needle' })).matches).toEqual([]);
    await expect(search({ query: 'needle', path: 'link' })).rejects.toThrow();
    await expect(search({ query: 'needle', path: '..' })).rejects.toThrow();
    await rm(join(root, 'file'));
    await fill(root, { file: 'needle\n' });
    expect(await search({ query: 'needle', path: 'file' })).toMatchObject({
      matches: [{ path: 'file', line: 1 }],
      engine: 'built-in',
    });
  });

  it('bounds the number of matches and the length of lines', async () => {
    const { search, root } = await useCommands({ isSandboxed });
    await fill(root, { many: 'needle\n'.repeat(100_000), wide: `needle${'x'.repeat(1_000_000)}\n` });
    const { matches, truncated } = await search({ query: 'needle' });
    expect(matches).toHaveLength(500);
    expect(truncated).toBe(true);
    const wide = await search({ query: 'needle', glob: 'wide' });
    expect(wide.matches).toHaveLength(1);
    expect(wide.matches[0]?.text.length).toBeLessThan(500);
  });
});

async function fill(folder: Commands['root'], files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
