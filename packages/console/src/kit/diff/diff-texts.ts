import { diffLines } from 'diff';
import type { DiffHunk, DiffLine } from './parse-patch.ts';

/** Texts that differ more than this are shown as one removed and one added. */
const maxEdits = 2_000;
const maxMilliseconds = 300;

/** Compares two texts line by line, within bounded time. */
export function diffTexts(before: string, after: string): DiffHunk[] {
  if (before === after) return [];
  const effort = { maxEditLength: maxEdits, timeout: maxMilliseconds };
  const changes = diffLines(before, after, effort) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  const lines: DiffLine[] = [];
  const next = { before: 1, after: 1 };
  const endsDiffer = before.endsWith('\n') !== after.endsWith('\n');
  for (const { value, added, removed } of changes) {
    const isEnded = value.endsWith('\n');
    const texts = (isEnded ? value.slice(0, -1) : value).split('\n');
    if (value === '') continue;
    for (const [index, text] of texts.entries()) {
      const kind = added ? 'added' : removed ? 'removed' : 'same';
      lines.push({
        kind,
        text,
        before: kind === 'added' ? undefined : next.before++,
        after: kind === 'removed' ? undefined : next.after++,
        // Otherwise the line would look the same on both sides.
        ...(endsDiffer && !isEnded && index === texts.length - 1 && { isUnended: true }),
      });
    }
  }
  return [{ lines }];
}
