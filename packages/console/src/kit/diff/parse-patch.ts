export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
  /** Its number before the change; undefined for added lines, and where the patch does not say. */
  before?: number | undefined;
  after?: number | undefined;
  /** The last line of a file that does not end with a line break. */
  isUnended?: boolean;
}

/** A part of a file; lines between two parts are unchanged and unknown. */
export interface DiffHunk {
  /** The file, at its first part in a patch of several. */
  path?: string | undefined;
  lines: DiffLine[];
}

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const kinds = { ' ': 'same', '+': 'added', '-': 'removed' } as const;

/**
 * Reads a unified diff. Nothing is left out: text that is not part of a hunk counts as unchanged lines, so that a malformed patch is
 * shown as it is.
 */
export function parsePatch(patch: string): DiffHunk[] {
  const texts = patch.split('\n');
  if (texts.at(-1) === '') texts.pop();
  const hunks: DiffHunk[] = [];
  let path: string | undefined;
  let hunk: DiffHunk | undefined;
  let left = { before: 0, after: 0 };
  let next = { before: 0, after: 0 };
  let isCounted = false;

  function start(): DiffHunk {
    const started: DiffHunk = { path, lines: [] };
    hunks.push(started);
    path = undefined;
    return started;
  }

  for (let index = 0; index < texts.length; index += 1) {
    const text = texts[index] ?? '';
    // Inside of a hunk even a line like "--- a" is content: the header says how many lines there are.
    const isInside = isCounted && (left.before > 0 || left.after > 0);
    const header = isInside ? null : hunkHeader.exec(text);
    if (header) {
      left = { before: Number(header[2] ?? 1), after: Number(header[4] ?? 1) };
      next = { before: Number(header[1]), after: Number(header[3]) };
      isCounted = true;
      hunk = start();
      continue;
    }
    if (!isInside && text.startsWith('--- ') && texts[index + 1]?.startsWith('+++ ')) {
      path = pathOf(text, texts[index + 1] ?? '');
      hunk = undefined;
      isCounted = false;
      index += 1;
      continue;
    }
    if (text.startsWith('\\ ') && hunk) {
      const last = hunk.lines.at(-1);
      if (last) last.isUnended = true;
      continue;
    }
    hunk ??= start();
    const kind = kinds[text[0] as keyof typeof kinds] ?? 'same';
    const isMarked = text[0] === ' ' || kind !== 'same';
    hunk.lines.push({ kind, text: isMarked ? text.slice(1) : text, ...count(kind) });
  }
  return hunks.filter(({ lines }) => lines.length > 0);

  function count(kind: DiffLine['kind']): Pick<DiffLine, 'before' | 'after'> {
    if (!isCounted) return {};
    const numbers: Pick<DiffLine, 'before' | 'after'> = {};
    if (kind !== 'added') {
      numbers.before = next.before++;
      left.before -= 1;
    }
    if (kind !== 'removed') {
      numbers.after = next.after++;
      left.after -= 1;
    }
    return numbers;
  }
}

/** The name of the file after the change, or before it if it is deleted. */
function pathOf(before: string, after: string): string {
  const name = (line: string) => line.slice(4).replace(/\t.*$/, '');
  const isDeleted = name(after) === '/dev/null';
  return name(isDeleted ? before : after).replace(/^[ab]\//, '');
}
