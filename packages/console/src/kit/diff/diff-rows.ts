import { diffWordsWithSpace } from 'diff';
import type { DiffHunk, DiffLine } from './parse-patch.ts';

/** One side of a row; `parts` mark the words that changed. */
export interface DiffCell extends DiffLine {
  parts?: WordPart[] | undefined;
}

export type DiffRow =
  | { kind: 'file'; path: string }
  /** Lines that the patch does not contain. */
  | { kind: 'gap' }
  /** Unchanged lines that are hidden until somebody asks. */
  | { kind: 'fold'; id: number; count: number }
  | { kind: 'lines'; before?: DiffCell | undefined; after?: DiffCell | undefined };

const contextLines = 3;
/** Fewer hidden lines than this would not be worth a button. */
const minFold = 8;
/** Beyond these, lines are compared as a whole only: the work stays bounded however long the diff is. */
const maxWordPairs = 600;

/**
 * The rows of a diff, with removed lines beside those that replace them. A unified view shows the two sides of a row one after
 * another; `unifyRows` orders them for it.
 */
export function diffRows(hunks: readonly DiffHunk[], unfolded: ReadonlySet<number> = new Set()): DiffRow[] {
  const rows: DiffRow[] = [];
  let pairs = 0;
  let foldId = 0;
  hunks.forEach((hunk, index) => {
    if (hunk.path !== undefined) rows.push({ kind: 'file', path: hunk.path });
    else if (index > 0) rows.push({ kind: 'gap' });
    for (const block of blocksOf(hunk.lines)) {
      if (block.same) addSame(block.same);
      else addChange(block.removed, block.added);
    }
  });
  return rows;

  function addSame(lines: readonly DiffLine[]): void {
    const hidden = lines.length - 2 * contextLines;
    const id = foldId++;
    const isFolded = hidden >= minFold && !unfolded.has(id);
    const show = (line: DiffLine) => rows.push({ kind: 'lines', before: line, after: line });
    if (!isFolded) return lines.forEach(show);
    lines.slice(0, contextLines).forEach(show);
    rows.push({ kind: 'fold', id, count: hidden });
    lines.slice(-contextLines).forEach(show);
  }

  function addChange(removed: readonly DiffLine[], added: readonly DiffLine[]): void {
    for (let line = 0; line < Math.max(removed.length, added.length); line += 1) {
      const [before, after] = [removed[line], added[line]];
      const words =
        before && after && pairs++ < maxWordPairs ? diffWords(before.text, after.text) : undefined;
      rows.push({
        kind: 'lines',
        before: before && { ...before, parts: words?.removed },
        after: after && { ...after, parts: words?.added },
      });
    }
  }
}

interface Block {
  same?: DiffLine[];
  removed: DiffLine[];
  added: DiffLine[];
}

/** Runs of unchanged lines, and changes: removed lines with the added ones that follow them. */
function blocksOf(lines: readonly DiffLine[]): Block[] {
  const blocks: Block[] = [];
  for (const line of lines) {
    let block = blocks.at(-1);
    const fits =
      block &&
      (line.kind === 'same'
        ? block.same
        : !block.same && !(line.kind === 'removed' && block.added.length > 0));
    if (!block || !fits) {
      block = { ...(line.kind === 'same' && { same: [] }), removed: [], added: [] };
      blocks.push(block);
    }
    if (line.kind === 'same') block.same?.push(line);
    else block[line.kind].push(line);
  }
  return blocks;
}

/** For a single column: of each change first everything removed, then everything added. */
export function unifyRows(rows: readonly DiffRow[]): DiffRow[] {
  const unified: DiffRow[] = [];
  let added: DiffRow[] = [];
  // One by one: a block may have more lines than a call can have arguments.
  const addAll = () => {
    for (const row of added) unified.push(row);
    added = [];
  };
  for (const row of rows) {
    const isChange = row.kind === 'lines' && row.before !== row.after;
    if (!isChange) {
      addAll();
      unified.push(row);
      continue;
    }
    if (row.before) unified.push({ kind: 'lines', before: row.before });
    if (row.after) added.push({ kind: 'lines', after: row.after });
  }
  addAll();
  return unified;
}

export function countChanges(hunks: readonly DiffHunk[]): { added: number; removed: number } {
  const counts = { added: 0, removed: 0 };
  for (const { lines } of hunks) {
    for (const { kind } of lines) if (kind !== 'same') counts[kind] += 1;
  }
  return counts;
}

interface WordPart {
  text: string;
  isChanged: boolean;
}

const maxCharacters = 1_000;
const maxEdits = 120;
/** Lines with less in common than this share are different lines, not one that was changed. */
const minShare = 0.3;

/** What differs between a removed line and the line that replaces it; undefined if they have little in common. */
export function diffWords(
  removed: string,
  added: string,
): { removed: WordPart[]; added: WordPart[] } | undefined {
  if (removed.length > maxCharacters || added.length > maxCharacters) return undefined;
  const changes = diffWordsWithSpace(removed, added, { maxEditLength: maxEdits });
  if (!changes) return undefined;
  const same = changes.reduce(
    (sum, change) => sum + (change.added || change.removed ? 0 : change.value.trim().length),
    0,
  );
  if (same < minShare * Math.max(removed.trim().length, added.trim().length)) return undefined;
  return {
    removed: changes
      .filter((change) => !change.added)
      .map((change) => ({ text: change.value, isChanged: change.removed })),
    added: changes
      .filter((change) => !change.removed)
      .map((change) => ({ text: change.value, isChanged: change.added })),
  };
}
