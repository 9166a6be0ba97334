import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DescribedProject, FileText, ListedFiles, SearchMatches } from '@svc/contract/machine-protocol';
import { describe, expect, it } from 'vitest';
import { useFileFolders } from './support/file-folders.ts';

const folders = useFileFolders();

function put(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(folders.root, path)), { recursive: true });
  writeFileSync(join(folders.root, path), content);
}

describe('read_file', () => {
  const read = (given: object) => folders.value<FileText>('read_file', given);

  it('returns lines as they are, with CRLF and a byte order mark', async () => {
    put('crlf.txt', '\ufeffone\r\ntwo\r\nthree');
    expect(await read({ path: 'crlf.txt' })).toEqual({
      path: 'crlf.txt',
      text: '\ufeffone\r\ntwo\r\nthree',
      start_line: 1,
      end_line: 3,
      total_lines: 3,
      size: 18,
      truncated: false,
    });
    expect(await read({ path: 'crlf.txt', start_line: 2, end_line: 2 })).toMatchObject({
      text: 'two\r\n',
      end_line: 2,
    });
    expect(await read({ path: 'crlf.txt', start_line: 3, end_line: 9 })).toMatchObject({
      text: 'three',
      end_line: 3,
    });
  });

  it('returns images to models that see, whatever they are called, and says to others what it is', async () => {
    const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(8)]);
    put('shot.txt', png);
    expect(await read({ path: 'shot.txt', images: true })).toEqual({
      path: 'shot.txt',
      size: 16,
      image: { media_type: 'image/png', data: png.toString('base64') },
    });
    expect(await folders.refusal('read_file', { path: 'shot.txt' })).toBe(
      '"shot.txt" is an image (image/png, 16 bytes), which you cannot see.',
    );
    put('a.jpg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0]));
    put('a.gif', Buffer.from('GIF89a\0'));
    put('a.webp', Buffer.from('RIFF\0\0\0\0WEBPVP8 '));
    for (const type of ['jpeg', 'gif', 'webp'])
      expect(await read({ path: `a.${type.replace('jpeg', 'jpg')}`, images: true })).toMatchObject({
        image: { media_type: `image/${type}` },
      });
    put('named.png', 'text');
    expect(await read({ path: 'named.png', images: true })).toMatchObject({ text: 'text' });
    put('huge.png', png);
    truncateSync(join(folders.root, 'huge.png'), 4_000_000);
    const huge = await folders.refusal('read_file', { path: 'huge.png', images: true });
    expect(huge).toContain('at most 3500000 bytes');
  });

  it('reads empty files, and says where a file ends', async () => {
    put('empty', '');
    expect(await read({ path: 'empty' })).toMatchObject({
      text: '',
      start_line: 1,
      end_line: 0,
      total_lines: 0,
    });
    put('two', 'a\nb\n');
    expect(await read({ path: 'two' })).toMatchObject({ total_lines: 2, end_line: 2 });
    expect(await folders.refusal('read_file', { path: 'two', start_line: 3 })).toContain('has 2 lines');
    expect(await folders.refusal('read_file', { path: 'two', start_line: 2, end_line: 1 })).toContain(
      'before',
    );
    expect(await folders.refusal('read_file', { path: 'absent' })).toContain('does not exist');
    expect(await folders.refusal('read_file', { path: '.' })).toContain('list_files');
  });

  it('cuts long answers after whole lines, and long lines after whole characters', async () => {
    put('long', `${'x'.repeat(99)}\n`.repeat(5000));
    const first = await read({ path: 'long' });
    expect(first).toMatchObject({ truncated: true, end_line: 2621, total_lines: 5000, size: 500_000 });
    expect(first.text).toHaveLength(262_100);
    const next = await read({ path: 'long', start_line: first.end_line + 1 });
    expect(next).toMatchObject({ truncated: false, end_line: 5000 });
    put('wide', `a${'é'.repeat(200_000)}`);
    const wide = await read({ path: 'wide' });
    expect(wide).toMatchObject({ truncated: true, start_line: 1, end_line: 1, total_lines: 1 });
    expect(wide.text).toBe(`a${'é'.repeat(131_071)}`);
  });

  it('refuses what is not UTF-8 text, and what is too large', async () => {
    put('binary', Buffer.from([1, 0, 2]));
    put('latin1', Buffer.from('caf\xe9', 'latin1'));
    put('utf16', Buffer.from('\ufefftext', 'utf16le'));
    put('huge', 'x');
    truncateSync(join(folders.root, 'huge'), 51 * 1024 * 1024);
    expect(await folders.refusal('read_file', { path: 'binary' })).toContain('binary');
    expect(await folders.refusal('read_file', { path: 'latin1' })).toContain('not UTF-8');
    expect(await folders.refusal('read_file', { path: 'utf16' })).toContain('UTF-16');
    expect(await folders.refusal('read_file', { path: 'huge' })).toContain('at most');
  });

  it('reads a range near the end of a large file', async () => {
    put('large', `${'line\n'.repeat(6_000_000)}last é`);
    expect(await read({ path: 'large', start_line: 6_000_001 })).toMatchObject({
      text: 'last é',
      truncated: false,
    });
  });
});

describe('list_files', () => {
  const list = async (given: object) => {
    const { entries, truncated } = await folders.value<ListedFiles>('list_files', given);
    return { paths: entries.map(({ path }) => path), entries, truncated };
  };

  it('lists the folder itself, or as many levels as requested, near entries first', async () => {
    for (const path of ['b.txt', 'a/x/deep.ts', 'a/c.ts', '.git/config', 'node_modules/pkg/index.ts'])
      put(path, path);
    symlinkSync('b.txt', join(folders.root, 'link'));
    const { entries, paths } = await list({});
    expect(paths).toEqual(['.git', 'a', 'b.txt', 'link', 'node_modules']);
    expect(entries.slice(1, 4)).toEqual([
      { path: 'a', type: 'directory' },
      { path: 'b.txt', type: 'file', size: 5 },
      { path: 'link', type: 'link' },
    ]);
    expect((await list({ depth: 3 })).paths).toEqual([...paths, 'a/c.ts', 'a/x', 'a/x/deep.ts']);
    expect((await list({ path: 'a' })).paths).toEqual(['a/c.ts', 'a/x']);
  });

  it('finds files by a pattern, in node_modules only if it is named', async () => {
    for (const path of ['a/x/deep.ts', 'a/c.ts', 'top.ts', '.hidden/h.ts', 'node_modules/pkg/index.ts'])
      put(path, path);
    const all = ['top.ts', '.hidden/h.ts', 'a/c.ts', 'a/x/deep.ts'];
    expect((await list({ pattern: '*.ts' })).paths).toEqual(all);
    expect((await list({ pattern: '**/*.ts' })).paths).toEqual(all);
    expect((await list({ pattern: 'a/**/*' })).paths).toEqual(['a/c.ts', 'a/x', 'a/x/deep.ts']);
    expect((await list({ pattern: 'node_modules/**/*.ts' })).paths).toEqual(['node_modules/pkg/index.ts']);
    expect((await list({ path: 'node_modules', depth: 2 })).paths).toContain('node_modules/pkg/index.ts');
    expect(await folders.refusal('list_files', { path: 'top.ts' })).toContain('read_file');
  });

  it('stops after a thousand entries and says so', async () => {
    for (let index = 0; index < 1005; index += 1) put(`file-${index}`, '');
    const { entries, truncated } = await list({});
    expect([entries.length, truncated]).toEqual([1000, true]);
  });
});

describe('search without ripgrep', () => {
  const search = (given: object) => folders.value<SearchMatches>('search', given);

  it('finds text and regular expressions, in text files that are not ignored', async () => {
    put('a.txt', 'Alpha\r\nbeta (x)\nalpha beta\n');
    put('src/b.ts', 'const alpha = 1;\n');
    put('binary', Buffer.from('alpha\0'));
    put('.gitignore', '*.log\n!kept.log\n/build/\nsub/only\n# alpha\n');
    for (const path of [
      'x.log',
      'kept.log',
      'build/out.txt',
      'src/build/in.txt',
      'sub/only/x',
      '.git/alpha',
      'node_modules/m/i.js',
    ])
      put(path, 'alpha\n');
    put('nested/.gitignore', 'private\n');
    put('nested/private', 'alpha');
    const found = await search({ query: 'alpha' });
    expect(found.engine).toBe('built-in');
    expect(found.matches.map(({ path, line }) => `${path}:${line}`).toSorted()).toEqual([
      '.gitignore:5',
      'a.txt:3',
      'kept.log:1',
      'src/b.ts:1',
      'src/build/in.txt:1',
    ]);
    const texts = async (given: object) => (await search(given)).matches.map(({ text }) => text);
    expect(await texts({ query: 'ALPHA', ignore_case: true, path: 'a.txt' })).toEqual([
      'Alpha',
      'alpha beta',
    ]);
    expect(await texts({ query: '^alpha|\\(x\\)$', regex: true, path: 'a.txt' })).toEqual([
      'beta (x)',
      'alpha beta',
    ]);
    expect(await texts({ query: '(?i)ALPHA$', regex: true, path: 'a.txt' })).toEqual(['Alpha']);
    expect(await texts({ query: '(x)', glob: '*.txt' })).toEqual(['beta (x)']);
    expect(await texts({ query: 'alpha', path: 'src', glob: '*.ts' })).toEqual(['const alpha = 1;']);
    expect(await texts({ query: 'alpha', path: 'build' })).toEqual(['alpha']);
  });

  it('bounds the number and the length of matches', async () => {
    put('many', `${'x'.repeat(1000)}\n`.repeat(600));
    const { matches, truncated } = await search({ query: 'x' });
    expect([matches.length, truncated, matches[0]?.text.length]).toEqual([500, true, 400]);
  });

  it('explains what is wrong with a query', async () => {
    expect(await folders.refusal('search', { query: '(', regex: true })).toContain('regular expression');
    expect(await folders.refusal('search', { query: 'a\nb' })).toContain('one line');
    expect(await folders.refusal('search', { query: 'x', path: 'absent' })).toContain('does not exist');
  });
});

describe('describe_project', () => {
  const describeIt = () => folders.value<DescribedProject>('describe_project', {});

  it('returns the files for agents, the nearest to the root first, and each text once', async () => {
    put('AGENTS.md', 'Use tabs.\n');
    put('CLAUDE.md', 'Use tabs.\n');
    put('packages/api/AGENTS.md', 'Use spaces here.\n');
    put('packages/CLAUDE.md', '   \n');
    put('node_modules/x/AGENTS.md', 'Not ours.\n');
    put('.git/HEAD', 'ref: refs/heads/feature/x\n');
    symlinkSync('AGENTS.md', join(folders.root, 'packages/AGENTS.md'));
    expect(await describeIt()).toMatchObject({
      workdir: folders.root,
      branch: 'feature/x',
      instructions: [
        { path: 'AGENTS.md', text: 'Use tabs.\n', truncated: false },
        { path: 'packages/api/AGENTS.md', text: 'Use spaces here.\n', truncated: false },
      ],
      more_instructions: [],
    });
  });

  it('bounds their size, and names the others', async () => {
    for (const name of ['a', 'b', 'c', 'd']) put(`${name}/AGENTS.md`, `${name}${'x'.repeat(20_000)}`);
    put('secret.md', 'not for agents');
    const { instructions, more_instructions: more } = await describeIt();
    expect(instructions.map(({ path, text, truncated }) => [path, text.length, truncated])).toEqual([
      ['a/AGENTS.md', 16_384, true],
      ['b/AGENTS.md', 16_384, true],
    ]);
    expect(more).toEqual(['c/AGENTS.md', 'd/AGENTS.md']);
  });

  it('bounds their number', async () => {
    for (let index = 0; index < 110; index += 1) put(`${index}/AGENTS.md`, `Of ${index}.`);
    const { instructions, more_instructions: more } = await describeIt();
    expect([instructions.length, more.length]).toEqual([50, 50]);
  });
});
