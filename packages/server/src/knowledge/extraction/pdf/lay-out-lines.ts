import { endsSentence, joinLines, type Line, mostCommon, round } from './lines.ts';

interface Block {
  kind: 'heading' | 'item' | 'paragraph';
  size: number;
  text: string;
  last: Line;
}

interface Measures {
  bodySize: number;
  leading: number;
  /** Sizes of headings, largest first. */
  headingSizes: number[];
}

const headingGrowth = 1.15;
const maxHeadingLength = 200;
const deepestLevel = 4;
const bullet = /^(?:[•◦▪‣●○■□–·∙*-]|\uf0b7)\s+/;
const numbered = /^(?:\d{1,3}|[a-z])[.)]\s+\S/;

/**
 * Lines of pages as markdown. A PDF has no paragraphs: larger letters are taken as headings and larger gaps as ends of
 * paragraphs. What is at the top or bottom of most pages is left out.
 */
export function layOutLines(pages: readonly PageOfLines[]): string {
  const kept = withoutRunningLines(pages);
  const measures = measure(kept);
  const blocks: Block[] = [];
  for (const lines of kept) {
    let before: Line | undefined;
    for (const line of lines) {
      add(blocks, line, before, measures);
      before = line;
    }
  }
  return blocks
    .map((block, index) => `${separator(block, blocks[index - 1])}${write(block, measures)}`)
    .join('');
}

function separator(block: Block, before: Block | undefined): string {
  if (!before) return '';
  return block.kind === 'item' && before.kind === 'item' ? '\n' : '\n\n';
}

function write({ kind, text, size }: Block, { headingSizes }: Measures): string {
  if (kind === 'item') return bullet.test(text) ? text.replace(bullet, '- ') : text;
  if (kind === 'paragraph') return text.replace(/^(#{1,6}\s|```|~~~)/, String.raw`\$1`);
  const level = Math.min(headingSizes.indexOf(round(size)) + 1, deepestLevel);
  return `${'#'.repeat(level)} ${text}`;
}

function measure(pages: readonly (readonly Line[])[]): Measures {
  const lines = pages.flat();
  const bodySize = mostCommon(lines.map((line) => [round(line.size), line.text.length]));
  const gaps = pages.flatMap((page) =>
    page.slice(1).map((line, index) => [round((page[index]?.y ?? 0) - line.y), 1] as const),
  );
  const leading = mostCommon(gaps.filter(([gap]) => gap > 0 && gap < bodySize * 3)) || bodySize * 1.3;
  const sizes = lines.filter((line) => isHeading(line, bodySize)).map(({ size }) => round(size));
  return { bodySize, leading, headingSizes: [...new Set(sizes)].toSorted((a, b) => b - a) };
}

function isHeading({ size, text }: Line, bodySize: number): boolean {
  return size >= bodySize * headingGrowth && text.length <= maxHeadingLength && /\p{L}/u.test(text);
}

function add(blocks: Block[], line: Line, before: Line | undefined, measures: Measures): void {
  const kind = isHeading(line, measures.bodySize) ? 'heading' : startsItem(line.text) ? 'item' : 'paragraph';
  const open = blocks.at(-1);
  if (open && continuesBlock(open, kind, line, before, measures)) {
    open.text = joinLines(open.text, line.text);
    open.last = line;
  } else {
    blocks.push({ kind, size: line.size, text: line.text, last: line });
  }
}

function continuesBlock(
  open: Block,
  kind: Block['kind'],
  line: Line,
  before: Line | undefined,
  measures: Measures,
): boolean {
  if (kind === 'item') return false;
  if ((kind === 'heading') !== (open.kind === 'heading')) return false;
  const sameSize = Math.abs(open.last.size - line.size) <= 1;
  // On the next page, or in the next column.
  if (!before || before.y <= line.y) return kind !== 'heading' && !endsSentence(open.text) && sameSize;
  const gap = before.y - line.y;
  if (kind === 'heading') return round(open.size) === round(line.size) && gap <= line.size * 1.8;
  if (gap > Math.max(measures.leading * 1.3, line.size * 1.1)) return false;
  const indented = open.kind === 'paragraph' && line.x - open.last.x > line.size && endsSentence(open.text);
  return sameSize && !indented;
}

function startsItem(text: string): boolean {
  return bullet.test(text) || numbered.test(text);
}

const outermost = 2;
/** The share of the page's height at the top and at the bottom. */
const margin = 0.1;
const minPages = 3;
const minShare = 0.6;

interface PageOfLines {
  height: number;
  lines: readonly Line[];
}

/** Removes the headers, footers and page numbers that most pages have. */
function withoutRunningLines(pages: readonly PageOfLines[]): Line[][] {
  const written = pages.filter(({ lines }) => lines.length > 0);
  const seen = new Map<string, number>();
  for (const page of written) {
    for (const key of new Set(outer(page).map(keyOf))) seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  const least = Math.max(minPages, written.length * minShare);
  return pages.map((page) => {
    const running = new Set(outer(page).filter((line) => (seen.get(keyOf(line)) ?? 0) >= least));
    return page.lines.filter((line) => !running.has(line));
  });
}

/** The highest and the lowest lines in the margins; drawing order says nothing about position. */
function outer({ height, lines }: PageOfLines): Line[] {
  const top = lines.filter(({ y }) => y > height * (1 - margin)).toSorted((a, b) => b.y - a.y);
  const bottom = lines.filter(({ y }) => y < height * margin).toSorted((a, b) => a.y - b.y);
  return [...top.slice(0, outermost), ...bottom.slice(0, outermost)];
}

/** Page numbers differ, but their position does not. */
function keyOf({ text, y }: Line): string {
  return `${Math.round(y / 4)} ${text.replaceAll(/\d+/g, '#')}`;
}
