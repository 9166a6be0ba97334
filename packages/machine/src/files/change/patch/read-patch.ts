import { parsePatch } from 'diff';
import { Refusal } from '../../../confine/refusal.ts';
import type { PatchSection } from './patch-section.ts';
import { isEnvelope, readEnvelope } from './read-envelope.ts';
import { repairDiff } from './repair-diff.ts';

/** Reads a patch as programs and models write it: a unified diff, or files between `*** Begin Patch` and `*** End Patch`. */
export function readPatch(patch: string): PatchSection[] {
  const text = withoutWrapping(patch);
  if (isEnvelope(text)) return readEnvelope(text);
  if (/^GIT binary patch$/m.test(text)) throw new Refusal('Binary patches cannot be applied.');
  const { diff, places } = repairDiff(text);
  let index = 0;
  return parse(diff).map((section) => ({
    ...section,
    hunks: section.hunks.map((hunk) => ({ ...hunk, ...places[index++] })),
  }));
}

function parse(diff: string): PatchSection[] {
  try {
    return parsePatch(diff);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refusal(`The patch cannot be read: ${reason}. Nothing was changed.`);
  }
}

/** Models wrap patches as they would in a chat or in a shell. */
function withoutWrapping(patch: string): string {
  const lines = patch.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  const opening = lines[first]?.trim() ?? '';
  const delimiter = /^(?:apply_patch\s+|cat\s+)?<<-?\s*(['"]?)(\w+)\1$/.exec(opening)?.[2];
  if (!opening.startsWith('```') && delimiter === undefined) return patch;
  const closing = delimiter ?? '```';
  const last = lines.findLastIndex((line) => line.trim() !== '');
  const end = last > first && lines[last]?.trim() === closing ? last : lines.length;
  return lines
    .slice(first + 1, end)
    .concat('')
    .join('\n');
}
