import type { BigIntStats } from 'node:fs';
import { parsePatch } from 'diff';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DraftFile } from './draft.ts';
import { applyHunks } from './patch/apply-hunks.ts';
import { diffOf } from './unified-diff.ts';

function draft(before: string | null, after: string | null): DraftFile {
  const current =
    before === null ? null : { bytes: Buffer.from(before), text: before, hash: '', stat: {} as BigIntStats };
  const location = { root: '/r', directory: '/r', missing: [], name: 'f', path: '/r/f', stat: undefined };
  return { location, shown: 'f', hasSecrets: false, current, text: after };
}

const line = fc.constantFrom(
  'a',
  'b',
  '',
  ' c',
  '-d',
  '+e',
  '@@',
  '--- x',
  '+++ y',
  '\\ No newline',
  'é',
  'tab\t',
  '\ufeff',
);
const text = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\n', '\n', '\r\n')), { maxLength: 25 })
  .chain((lines) => fc.tuple(fc.constant(lines.flat().join('')), fc.constantFrom('', 'end', '\r')))
  .map(([lines, end]) => lines + end);

it('shows exactly what happens: applied to the old text, the diff gives the new one', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { diff } = diffOf(draft(before, after));
      if (before === after) {
        expect(diff).toBe('');
        return;
      }
      const [patch] = parsePatch(diff);
      expect(patch).toMatchObject({ oldFileName: 'a/f', newFileName: 'b/f' });
      expect(applyHunks(before, patch?.hunks ?? [], { shown: 'f', hasSecrets: false })).toBe(after);
    }),
    { numRuns: 500 },
  );
});

it('names /dev/null for files that are created or deleted, and shows empty ones', () => {
  expect(diffOf(draft(null, 'x'))).toEqual({
    diff: '--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file\n',
    added: 1,
    removed: 0,
  });
  expect(diffOf(draft('x\n', null)).diff).toBe('--- a/f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n');
  expect(diffOf(draft(null, '')).diff).toBe('diff --git a/f b/f\nnew file mode 100644\n');
  expect(diffOf(draft('', null)).diff).toBe('diff --git a/f b/f\ndeleted file mode 100644\n');
});
