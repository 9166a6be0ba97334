import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { ChangedFiles, PreviewedChange, RevertedFiles } from '@svc/contract/machine-protocol';
import { describe, expect, it } from 'vitest';
import { useFileFolders } from './support/file-folders.ts';
import { readTree } from './support/file-tree.ts';
import { modelPatches } from './support/model-patches.ts';

const folders = useFileFolders();

function put(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(folders.root, path)), { recursive: true });
  writeFileSync(join(folders.root, path), content);
}

const textOf = (path: string) => readFileSync(join(folders.root, path), 'utf8');
const write = (path: string, content: string) => folders.value<ChangedFiles>('write_file', { path, content });
const patchRefusal = (patch: string) => folders.refusal('apply_patch', { patch });

describe('write_file', () => {
  it('creates folders, keeps the mode, and reports what it did', async () => {
    put('run.sh', 'old\n');
    // New content must not run with the rights of the owner.
    chmodSync(join(folders.root, 'run.sh'), 0o4751);
    expect(await write('run.sh', 'new')).toEqual({
      files: [
        {
          path: 'run.sh',
          action: 'modified',
          added_lines: 1,
          removed_lines: 1,
          diff: '--- a/run.sh\n+++ b/run.sh\n@@ -1,1 +1,1 @@\n-old\n+new\n\\ No newline at end of file\n',
        },
      ],
    });
    expect(statSync(join(folders.root, 'run.sh')).mode & 0o7777).toBe(0o751);
    expect(await write('a/b/c.txt', '')).toMatchObject({ files: [{ action: 'created', path: 'a/b/c.txt' }] });
    expect(await write('a/b/c.txt', '')).toMatchObject({ files: [{ action: 'unchanged', diff: '' }] });
    expect(readTree(folders.root)).toEqual({ 'a/': '', 'a/b/': '', 'a/b/c.txt': '', 'run.sh': '+xnew' });
  });

  it('refuses content that is not text, and files that are not', async () => {
    put('binary', Buffer.from([0, 1]));
    put('huge', '');
    truncateSync(join(folders.root, 'huge'), 11 * 1024 * 1024);
    const refusal = (path: string, content: string) => folders.refusal('write_file', { path, content });
    expect(await refusal('x', 'a\0b')).toContain('NUL');
    expect(await refusal('x', 'a\ud800')).toContain('surrogate');
    expect(await refusal('x/', 'a')).toContain('folder');
    expect(await refusal('binary', 'text')).toContain('binary');
    expect(await refusal('huge', 'text')).toContain('at most');
    expect(existsSync(join(folders.root, 'x'))).toBe(false);
  });
});

describe('edit_file', () => {
  const edit = (old_text: string, new_text: string) => ({ path: 'a.txt', old_text, new_text });

  it('replaces the only occurrence, literally', async () => {
    put('a.txt', '\ufeffone $& two\r\n');
    await folders.value('edit_file', edit('$& two', '$1 $& three'));
    expect(textOf('a.txt')).toBe('\ufeffone $1 $& three\r\n');
  });

  it('says how often the text occurs, where, and what to do', async () => {
    put('a.txt', 'x = 1\ny\nx = 1\naaa\n');
    const message = await folders.refusal('edit_file', edit('x = 1', 'x = 2'));
    expect(message).toContain('occurs 2 times in "a.txt" (lines 1, 3)');
    expect(message).toContain('until it is unique');
    expect(await folders.refusal('edit_file', edit('aa', 'b'))).toContain('occurs 2 times');
  });

  it('replaces every occurrence if that is wanted', async () => {
    put('a.txt', 'x = 1\ny\nx = 1\naaa\n');
    await folders.value('edit_file', { ...edit('x = 1', 'x = $&'), replace_all: true });
    expect(textOf('a.txt')).toBe('x = $&\ny\nx = $&\naaa\n');
    const none = { ...edit('z', 'y'), replace_all: true };
    expect(await folders.refusal('edit_file', none)).toContain('does not occur');
  });

  it('quotes the first line that is different', async () => {
    put('a.txt', 'function f() {\n  return 1;\n}\n');
    expect(await folders.refusal('edit_file', edit('f() {\n  return 2;\n}', 'x'))).toContain(
      'Line 2 of old_text is "  return 2;", but line 2 of the file is "  return 1;".',
    );
    expect(await folders.refusal('edit_file', edit('absent\n}', 'x'))).toContain(
      'No line of the file contains "absent".',
    );
  });

  it.each([
    ['one\r\ntwo\r\n', 'one\ntwo', 'the file has CRLF'],
    ['one\ntwo\n', 'one\r\ntwo', 'the file has LF'],
    ['one  \ntwo\n', 'one\ntwo', 'spaces at the end of lines'],
    ['\tif (x)\n', '  if (x)', 'spaces, tabs or line breaks'],
    ['say “hi”', 'say "hi"', 'look alike'],
    ['Title', 'title', 'upper and lower case'],
    ['something', 'else', 'Read the file again'],
  ])('explains why %j does not contain %j', async (content, wanted, cause) => {
    put('a.txt', content);
    const message = await folders.refusal('edit_file', edit(wanted, 'new'));
    expect(message).toContain('does not occur');
    expect(message).toContain(cause);
    expect(textOf('a.txt')).toBe(content);
  });

  it('refuses files that do not exist and edits that change nothing', async () => {
    expect(await folders.refusal('edit_file', edit('a', 'b'))).toContain('use write_file');
    put('a.txt', 'a');
    expect(await folders.refusal('edit_file', edit('a', 'a'))).toContain('nothing would change');
  });
});

describe('apply_patch', () => {
  it('applies what git writes: changes, new and deleted files, renames, modes, odd names', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], {
        cwd: folders.root,
      }).toString();
    git('init', '-q');
    put('a.txt', 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n');
    put('gone.txt', 'gone');
    put('old name é.txt', 'a\nb\nc\nd\ne\n');
    put('run.sh', 'echo\n');
    put('empty', '');
    git('add', '.');
    git('commit', '-qm', 'first');
    put('a.txt', 'ONE\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten');
    rmSync(join(folders.root, 'gone.txt'));
    rmSync(join(folders.root, 'empty'));
    rmSync(join(folders.root, 'old name é.txt'));
    put('new\tname.txt', 'a\nb\nc\nd\nE\n');
    chmodSync(join(folders.root, 'run.sh'), 0o755);
    put('new/file.txt', 'new\n');
    put('new/empty', '');
    git('add', '-A');
    const patch = git('diff', '--cached', '-M');
    expect(patch).toContain('rename from');
    const wanted = withoutGit();
    git('reset', '-q', '--hard');
    git('clean', '-qfd');
    const { files } = await folders.value<ChangedFiles>('apply_patch', { patch });
    expect(withoutGit()).toEqual(wanted);
    expect(files).toHaveLength(8);
    git('add', '-A');
    expect(git('diff', '--cached', '-M')).toBe(patch);
  });

  it('finds hunks that have moved, and keeps CRLF', async () => {
    put('a.txt', 'new line\r\n'.repeat(20) + 'one\r\ntwo\r\nthree\r\n');
    await folders.value('apply_patch', {
      patch: '--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
    });
    expect(textOf('a.txt').endsWith('one\r\n2\r\nthree\r\n')).toBe(true);
  });

  it('names the file and the hunk that does not match, and changes nothing at all', async () => {
    put('a.txt', 'one\ntwo\n');
    put('b.txt', '1\n2\n3\n4\n5\n6\n7\n8\n9\n');
    const patch =
      '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n--- a/b.txt\n+++ b/b.txt\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n@@ -8,2 +8,2 @@\n-8\n+eight\n NINE\n';
    const message = await patchRefusal(patch);
    expect(message).toContain('Hunk 2 of 2 (@@ -8,2 +8,2 @@) does not match "b.txt"');
    expect(message).toContain('Line 9 of the file is "9", not "NINE".');
    expect(textOf('a.txt')).toBe('one\ntwo\n');
    expect(readdirSync(folders.root)).toEqual(['a.txt', 'b.txt']);
  });

  it.each(modelPatches)('applies a patch as $style writes it', async ({ before, patch, after }) => {
    for (const [path, content] of Object.entries(before)) put(path, content);
    await folders.value('apply_patch', { patch });
    const files = Object.entries(readTree(folders.root)).filter(([path]) => !path.endsWith('/'));
    expect(Object.fromEntries(files)).toEqual(after);
  });

  it('says what a hunk without line numbers lacks: a match, one place, the line that is named', async () => {
    put('a.txt', 'one\ntwo\nthree\nx\none\ntwo\n');
    const refusal = (hunk: string) =>
      patchRefusal(`*** Begin Patch\n*** Update File: a.txt\n${hunk}\n*** End Patch`);
    expect(await refusal('@@\n one\n-TWO\n+2')).toContain('Line 2 of the file is "two", not "TWO".');
    expect(await refusal('@@\n-absent\n+2')).toContain('No line of the file is "absent".');
    expect(await refusal('@@\n one\n-two\n+2')).toContain('in 2 places (lines 1, 5)');
    expect(await refusal('@@ class A\n-two\n+2')).toContain(
      'the line after @@, "class A", is not in the file',
    );
    expect(await refusal('@@\n one\nTWO')).toContain('line 5 begins with neither a space, + nor -: "TWO"');
    expect(textOf('a.txt')).toBe('one\ntwo\nthree\nx\none\ntwo\n');
  });

  it('refuses patches that cannot be meant', async () => {
    put('a.txt', 'one\ntwo\n');
    expect(await patchRefusal('nothing')).toContain('no changes');
    expect(await patchRefusal('@@ -1 +1 @@\n-one\n+1\n')).toContain('does not name its file');
    expect(await patchRefusal('--- a/a.txt\n+++ b/a.txt\n@@ -1,9 +1,2 @@\n one\n')).toContain(
      'changes nothing',
    );
    expect(await patchRefusal('--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n*two\n')).toContain(
      'line 5 begins with neither a space, + nor -: "*two"',
    );
    expect(await patchRefusal('--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n')).toContain('already exists');
    expect(await patchRefusal('--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n')).toContain(
      'does not remove all',
    );
    expect(await patchRefusal('--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-x\n+y\n')).toContain('does not exist');
    expect(await patchRefusal('diff --git a/x b/x\nBinary files a/x and b/x differ\n')).toContain('Binary');
    expect(textOf('a.txt')).toBe('one\ntwo\n');
  });

  function withoutGit() {
    return Object.fromEntries(
      Object.entries(readTree(folders.root)).filter(([path]) => !path.startsWith('.git/')),
    );
  }
});

describe('preview', () => {
  const preview = (operation: string, given: object) =>
    folders.value<PreviewedChange>('preview', { operation, arguments: given });

  it('shows what will happen and changes nothing', async () => {
    put('a.txt', 'one\n');
    const given = { path: 'a.txt', old_text: 'one', new_text: '1' };
    const { files, basis } = await preview('edit_file', given);
    expect(files).toEqual([{ path: 'a.txt', diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+1\n' }]);
    expect(textOf('a.txt')).toBe('one\n');
    const done = await folders.value<ChangedFiles>('edit_file', given, { basis });
    expect(done.files[0]?.diff).toBe(files[0]?.diff);
    expect(textOf('a.txt')).toBe('1\n');
  });

  it('shows what a rename replaces, and that it makes a file executable', async () => {
    put('a.txt', 'kept\n');
    put('b.txt', 'lost\n');
    const rename = (to: string) => `diff --git a/a.txt b/${to}\nrename from a.txt\nrename to ${to}\n`;
    const removal = '--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-lost\n';
    const replaced = await preview('apply_patch', { patch: removal + rename('b.txt') });
    expect(replaced.files.map(({ diff }) => diff)).toEqual([
      '--- a/b.txt\n+++ b/b.txt\n@@ -1,1 +1,1 @@\n-lost\n+kept\n',
      '--- a/a.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-kept\n',
    ]);
    const [, ...lines] = rename('c.txt').split('\n');
    const modes = 'old mode 100644\nnew mode 100755';
    const { files } = await preview('apply_patch', {
      patch: `diff --git a/a.txt b/c.txt\n${modes}\n${lines.join('\n')}`,
    });
    expect(files[0]?.diff).toContain(modes);
  });

  it('is the basis of the change: another content or another file is refused', async () => {
    put('a.txt', 'one\n');
    const { basis } = await preview('write_file', { path: 'a.txt', content: 'new' });
    put('a.txt', 'changed by a person\n');
    const refusal = (path: string) => folders.refusal('write_file', { path, content: 'new' }, { basis });
    expect(await refusal('a.txt')).toContain('changed since the approval');
    expect(await refusal('b.txt')).toContain('not among the files');
    rmSync(join(folders.root, 'a.txt'));
    expect(await refusal('a.txt')).toContain('changed since the approval');
    expect(readdirSync(folders.root)).toEqual([]);
  });

  it('shows a file as replaced when comparing it would take too long', async () => {
    const lines = (seed: number) =>
      Array.from({ length: 30_000 }, (_, index) => `${(index * 7919 * seed) % 30_011}\n`).join('');
    put('a.txt', lines(3));
    const content = lines(5);
    const { files, basis } = await preview('write_file', { path: 'a.txt', content });
    expect(files[0]?.diff.split('\n').slice(2, 4)).toEqual(['@@ -1,30000 +1,30000 @@', '-0']);
    await folders.value('apply_patch', { patch: files[0]?.diff }, { basis });
    expect(textOf('a.txt')).toBe(content);
  });
});

describe('revert', () => {
  const revert = (...operation_ids: string[]) => folders.value<RevertedFiles>('revert', { operation_ids });

  it('takes changes back in the given order, and reports the same when it is repeated', async () => {
    put('a.txt', 'A');
    put('gone/deleted.txt', 'deleted\n');
    const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
    await folders.value('write_file', { path: 'a.txt', content: 'B' }, { id: first });
    await folders.value('write_file', { path: 'a.txt', content: 'C' }, { id: second });
    const patch =
      '--- /dev/null\n+++ b/new/n.txt\n@@ -0,0 +1 @@\n+n\n--- a/gone/deleted.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-deleted\n';
    await folders.value('apply_patch', { patch }, { id: third });
    rmSync(join(folders.root, 'gone'), { recursive: true });
    const reverted = await revert(third, randomUUID(), second, first);
    expect(reverted.files.map(({ operation_id, outcome }) => [operation_id, outcome])).toEqual([
      [third, 'deleted'],
      [third, 'restored'],
      [second, 'restored'],
      [first, 'restored'],
    ]);
    expect(readTree(folders.root)).toEqual({ 'a.txt': 'A', 'gone/': '', 'gone/deleted.txt': 'deleted\n' });
    expect(await revert(third, second, first)).toEqual(reverted);
  });

  it('leaves alone what somebody has changed since, and tries it again', async () => {
    put('a.txt', 'A');
    const id = randomUUID();
    await folders.value('write_file', { path: 'a.txt', content: 'B' }, { id });
    put('a.txt', 'of a person');
    const file = { operation_id: id, path: join(folders.root, 'a.txt') };
    expect(await revert(id)).toEqual({ files: [{ ...file, outcome: 'changed_since' }] });
    expect(textOf('a.txt')).toBe('of a person');
    put('a.txt', 'B');
    expect(await revert(id)).toEqual({ files: [{ ...file, outcome: 'restored' }] });
    expect(textOf('a.txt')).toBe('A');
  });

  it('reports old content that is not kept any more', async () => {
    put('a.txt', 'A');
    const id = randomUUID();
    await folders.value('write_file', { path: 'a.txt', content: 'B' }, { id });
    rmSync(join(folders.state, 'changes', id, '0'));
    const { files } = await revert(id);
    expect(files).toMatchObject([
      { outcome: 'failed', reason: expect.stringContaining('not stored any more') },
    ]);
    expect(textOf('a.txt')).toBe('B');
  });

  it('does nothing twice when an operation is repeated', async () => {
    const id = randomUUID();
    await folders.value('write_file', { path: 'a.txt', content: 'first' }, { id });
    put('a.txt', 'of a person');
    expect(await folders.perform('write_file', { path: 'a.txt', content: 'first' }, { id })).toMatchObject({
      status: 'ok',
    });
    expect(textOf('a.txt')).toBe('of a person');
  });
});
