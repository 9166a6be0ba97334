import { expect, it } from 'vitest';
import { countChanges, diffRows, diffWords, unifyRows } from './diff-rows.ts';
import { diffTexts } from './diff-texts.ts';
import { parsePatch } from './parse-patch.ts';

const patch = `--- a/old.ts\t2026-01-01
+++ b/src/new.ts
@@ -1,3 +1,3 @@
 const a = 1;
--- a comment
++++ another
 end
@@ -20 +20,2 @@
-last
+last!
+more
\\ No newline at end of file
`;

it('reads a patch by the counts of its headers, so that content never passes for a header', () => {
  const hunks = parsePatch(patch);
  expect(hunks.map(({ path }) => path)).toEqual(['src/new.ts', undefined]);
  expect(hunks[0]?.lines).toEqual([
    { kind: 'same', text: 'const a = 1;', before: 1, after: 1 },
    { kind: 'removed', text: '-- a comment', before: 2 },
    { kind: 'added', text: '+++ another', after: 2 },
    { kind: 'same', text: 'end', before: 3, after: 3 },
  ]);
  expect(hunks[1]?.lines.at(-1)).toEqual({ kind: 'added', text: 'more', after: 21, isUnended: true });
  expect(countChanges(hunks)).toEqual({ added: 3, removed: 2 });
});

it('shows every line of something that is not a patch', () => {
  const lines = parsePatch('+a\n-b\nwhatever\n').flatMap((hunk) => hunk.lines);
  expect(lines.map(({ kind, text }) => [kind, text])).toEqual([
    ['added', 'a'],
    ['removed', 'b'],
    ['same', 'whatever'],
  ]);
});

it('puts removed lines beside those that replace them, and unified ones below each other', () => {
  const rows = diffRows(diffTexts('one\ntwo\nthree\n', 'one\n2\n3\nthree\n'));
  const sides = rows.map((row) => (row.kind === 'lines' ? [row.before?.text, row.after?.text] : row.kind));
  expect(sides).toEqual([
    ['one', 'one'],
    ['two', '2'],
    [undefined, '3'],
    ['three', 'three'],
  ]);
  const unified = unifyRows(rows).map((row) => (row.kind === 'lines' ? (row.before ?? row.after)?.text : ''));
  expect(unified).toEqual(['one', 'two', '2', '3', 'three']);
});

it('shows that only the line break at the end differs', () => {
  const lines = diffTexts('one\n', 'one').flatMap((hunk) => hunk.lines);
  expect(lines.map(({ kind, isUnended }) => [kind, isUnended])).toEqual([
    ['removed', undefined],
    ['added', true],
  ]);
});

it('folds unchanged lines far from a change, and unfolds them', () => {
  const many = Array.from({ length: 50 }, (_, index) => `line ${index}`).join('\n');
  const hunks = diffTexts(`${many}\nend\n`, `${many}\nEND\n`);
  const fold = diffRows(hunks).find((row) => row.kind === 'fold');
  expect(fold).toEqual({ kind: 'fold', id: 0, count: 44 });
  expect(diffRows(hunks, new Set([0]))).toHaveLength(51);
});

it('marks the words that changed, unless the lines are different ones', () => {
  const words = diffWords('amount = 120;', 'amount = 20;');
  expect(words?.removed.filter(({ isChanged }) => isChanged).map(({ text }) => text)).toEqual(['120']);
  expect(words?.added.map(({ text }) => text).join('')).toBe('amount = 20;');
  expect(diffWords('completely', 'different')).toBeUndefined();
  expect(diffWords('x'.repeat(2_000), 'y')).toBeUndefined();
});

it('shows a block of very many lines', () => {
  const many = 300_000;
  const added = `@@ -0,0 +1,${many} @@\n${'+x\n'.repeat(many)}`;
  expect(unifyRows(diffRows(parsePatch(added)))).toHaveLength(many);
});

it('compares long texts that have nothing in common without comparing every pair of lines', () => {
  const text = (prefix: string) =>
    Array.from({ length: 20_000 }, (_, index) => `${prefix}${index}`).join('\n');
  const hunks = diffTexts(text('a'), text('b'));
  expect(countChanges(hunks)).toEqual({ added: 20_000, removed: 20_000 });
  expect(diffRows(hunks)).toHaveLength(20_000);
});
