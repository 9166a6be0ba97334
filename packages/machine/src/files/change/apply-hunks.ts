import { applyPatch, type StructuredPatch } from 'diff';
import { quote, Refusal } from '../../confine/refusal.ts';

type Hunks = Pick<StructuredPatch, 'hunks'>;

/** Lines may have moved, but every line of a hunk must match. */
export function applyHunks(text: string, { hunks }: Hunks, shown: string): string {
  const applied = tryHunks(text, hunks);
  if (applied !== false) return applied;
  const failing = firstFailing(text, hunks);
  const { oldStart, oldLines, newStart, newLines } = hunks[failing] ?? {};
  throw new Refusal(
    `Hunk ${failing + 1} of ${hunks.length} (@@ -${oldStart},${oldLines} +${newStart},${newLines} @@) does not match ${quote(shown)}. Read the file again and copy its lines exactly. Nothing was changed.`,
  );
}

function tryHunks(text: string, hunks: StructuredPatch['hunks']): string | false {
  const patch = { oldFileName: '', newFileName: '', oldHeader: undefined, newHeader: undefined, hunks };
  return applyPatch(text, patch, { fuzzFactor: 0 });
}

/** The library does not tell which hunk failed. If some first hunks can be applied, all shorter beginnings can. */
function firstFailing(text: string, hunks: StructuredPatch['hunks']): number {
  let applies = 0;
  let fails = hunks.length;
  while (fails - applies > 1) {
    const middle = (applies + fails) >> 1;
    if (tryHunks(text, hunks.slice(0, middle)) === false) fails = middle;
    else applies = middle;
  }
  return fails - 1;
}
