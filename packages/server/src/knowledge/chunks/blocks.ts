import { plainHeading } from './plain-heading.ts';

export interface Block {
  kind: 'paragraph' | 'list' | 'table' | 'code';
  /** Repeated at the start of each chunk with a part of it: a table's header, a code fence. */
  head: string;
  /** Its items, rows or lines; a single part for a paragraph. */
  parts: string[];
  tail: string;
}

export interface Heading {
  kind: 'heading';
  level: number;
  text: string;
}

/** Longer lines are not headings, whatever precedes them. */
const maxHeadingLength = 300;
const maxSeparatorLength = 4_000;
const marker = /^(\s*)(?:[-*+•]|\d{1,9}[.)])(?:\s|$)/;
const fence = /^\s{0,3}(?=`{3,20}[^`]*$|~{3,20})(`+|~+)/;
const rule = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;

/** Parses markdown into blocks, reading each line once. Horizontal rules are dropped. */
export function readBlocks(markdown: string): (Block | Heading)[] {
  const lines = markdown.split('\n');
  const blocks: (Block | Heading)[] = [];
  let position = 0;
  while (position < lines.length) {
    const read = readBlock(lines, position);
    if (read.block) blocks.push(read.block);
    position = read.next;
  }
  return blocks;
}

interface Read {
  block?: Block | Heading;
  next: number;
}

function readBlock(lines: readonly string[], from: number): Read {
  const line = lines[from] ?? '';
  if (line.trim() === '') return { next: from + 1 };
  if (fence.test(line)) return readCode(lines, from);
  const heading = headingOf(line);
  if (heading) return { block: heading, next: from + 1 };
  if (isRule(line)) return { next: from + 1 };
  if (startsTable(lines, from)) return readTable(lines, from);
  if (marker.test(line)) return readList(lines, from);
  return readParagraph(lines, from);
}

function headingOf(line: string): Heading | undefined {
  if (line.length > maxHeadingLength) return undefined;
  const [, marks, words] = /^ {0,3}(#{1,6})[ \t]+(.*)$/.exec(line) ?? [];
  if (!marks || words === undefined) return undefined;
  const text = plainHeading(words.replace(/[ \t]#+[ \t]*$/, ''));
  return text === '' ? undefined : { kind: 'heading', level: marks.length, text };
}

function isRule(line: string): boolean {
  return line.length <= maxHeadingLength && rule.test(line);
}

/** The line after the closing fence, or the end. */
function afterFence(lines: readonly string[], from: number): number {
  const open = openingOf(lines[from] ?? '');
  const closing = new RegExp(`^\\s*${open[0]}{${open.length},}\\s*$`);
  let next = from + 1;
  while (next < lines.length && !closing.test(lines[next] ?? '')) next += 1;
  return Math.min(next + 1, lines.length);
}

function openingOf(line: string): string {
  return fence.exec(line.trimStart())?.[1]?.slice(0, 20) ?? '```';
}

function readCode(lines: readonly string[], from: number): Read {
  const next = afterFence(lines, from);
  const tail = openingOf(lines[from] ?? '');
  const isClosed = next > from + 1 && (lines[next - 1] ?? '').trim().startsWith(tail);
  const parts: string[] = [];
  for (const line of lines.slice(from + 1, isClosed ? next - 1 : next)) {
    if (line.trim() !== '') parts.push(line);
    else if (parts.length > 0 && !parts.at(-1)?.endsWith('\n')) parts[parts.length - 1] += '\n';
  }
  const head = (lines[from] ?? '').trim();
  const block: Block = { kind: 'code', head, parts, tail };
  // An empty code block has only what follows the fence.
  if (parts.length === 0) block.parts.push(head.slice(tail.length).trim());
  return block.parts[0] === '' ? { next } : { block, next };
}

function startsTable(lines: readonly string[], from: number): boolean {
  const below = lines[from + 1] ?? '';
  if (!lines[from]?.includes('|') || !below.includes('-') || below.length > maxSeparatorLength) return false;
  return below.includes('|') && /^\|?(?: *:?-+:? *\|)* *(?::?-+:?)?$/.test(below.trim());
}

function readTable(lines: readonly string[], from: number): Read {
  let next = from + 2;
  while (next < lines.length && lines[next]?.includes('|') && !headingOf(lines[next] ?? '')) next += 1;
  const head = `${lines[from]?.trim()}\n${lines[from + 1]?.trim()}`;
  const parts = lines.slice(from + 2, next).map((row) => row.trim());
  if (parts.length > 0) return { block: { kind: 'table', head, parts, tail: '' }, next };
  return { block: { kind: 'paragraph', head: '', parts: [head], tail: '' }, next };
}

function readList(lines: readonly string[], from: number): Read {
  const base = marker.exec(lines[from] ?? '')?.[1]?.length ?? 0;
  const items: string[][] = [];
  let next = from;
  while (next < lines.length) {
    const line = lines[next] ?? '';
    const indent = line.length - line.trimStart().length;
    if (line.trim() === '') {
      const below = lines[next + 1] ?? '';
      const isContinued = /^\s{2,}\S/.test(below) || marker.test(below);
      if (!isContinued) break;
      next += 1;
      continue;
    }
    if (indent <= base && (headingOf(line) || isRule(line) || startsTable(lines, next) || fence.test(line)))
      break;
    const end = fence.test(line.trimStart()) ? afterFence(lines, next) : next + 1;
    const startsItem = marker.test(line) && indent <= base + 1;
    if (startsItem || items.length === 0) items.push([]);
    items.at(-1)?.push(...lines.slice(next, end));
    next = end;
  }
  const parts = items.map((item) => item.join('\n'));
  return { block: { kind: 'list', head: '', parts, tail: '' }, next };
}

function readParagraph(lines: readonly string[], from: number): Read {
  const underline = lines[from + 1] ?? '';
  const level = /^ {0,3}=+[ \t]*$/.test(underline) ? 1 : /^ {0,3}-{2,}[ \t]*$/.test(underline) ? 2 : 0;
  const words = lines[from] ?? '';
  if (level > 0 && words.length <= maxHeadingLength && plainHeading(words) !== '') {
    return { block: { kind: 'heading', level, text: plainHeading(words) }, next: from + 2 };
  }
  let next = from + 1;
  while (next < lines.length && !endsParagraph(lines, next)) next += 1;
  return {
    block: { kind: 'paragraph', head: '', parts: [lines.slice(from, next).join('\n')], tail: '' },
    next,
  };
}

function endsParagraph(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  if (line.trim() === '' || fence.test(line) || isRule(line) || startsTable(lines, at)) return true;
  return headingOf(line) !== undefined || marker.test(line);
}
