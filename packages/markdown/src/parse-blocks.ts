import { element, type MarkdownElement, type MarkdownNode } from './markdown-node.ts';
import { type InlineOptions, parseInline } from './parse-inline.ts';

export interface Block {
  /** The index of its first line. */
  line: number;
  node: MarkdownElement;
}

interface ListItem {
  indent: number;
  /** Undefined for a bullet. */
  number: number | undefined;
  /** Where the item's text starts. */
  width: number;
}

const maxNesting = 6;
const maxColumns = 20;

/** The blocks of a text, with the line at which each begins. Only the last one can still be growing. */
export function parseBlocks(lines: readonly string[], options: InlineOptions, depth = 0): Block[] {
  const blocks: Block[] = [];
  let index = 0;

  function take(first: number): MarkdownElement {
    const line = lines[first] ?? '';
    const fence = /^ {0,3}(`{3,}|~{3,})[^`]*$/.exec(line)?.[1];
    if (fence) return takeCode(first, fence);
    const heading = /^ {0,3}#{1,6} (.*)$/.exec(line);
    if (heading) {
      index = first + 1;
      // One level for all: whatever an answer starts with, it is below the title of what it is shown in.
      return element(
        'h3',
        inline(
          (heading[1] ?? '')
            .trim()
            .replace(/(^| )#+$/, '')
            .trim(),
        ),
      );
    }
    if (isRule(line)) {
      index = first + 1;
      return element('hr');
    }
    if (depth < maxNesting) {
      if (isQuote(line)) return takeQuote(first);
      const item = readItem(line);
      if (item) return takeList(first, item);
    }
    return isTable(first) ? takeTable(first) : takeParagraph(first);
  }

  function takeCode(first: number, fence: string): MarkdownElement {
    const indent = indentOf(lines[first] ?? '');
    const code: string[] = [];
    for (index = first + 1; index < lines.length; index += 1) {
      const line = lines[index] ?? '';
      const trimmed = line.trim();
      const isEnd = trimmed.startsWith(fence) && trimmed === fence[0]?.repeat(trimmed.length);
      if (isEnd && indentOf(line) < indent + 4) {
        index += 1;
        break;
      }
      code.push(line.slice(Math.min(indent, indentOf(line))));
    }
    return element('pre', [element('code', [code.join('\n')])]);
  }

  function takeQuote(first: number): MarkdownElement {
    const quoted: string[] = [];
    for (index = first; isQuote(lines[index] ?? ''); index += 1) {
      quoted.push((lines[index] ?? '').replace(/^ {0,3}> ?/, ''));
    }
    return element('blockquote', nested(quoted));
  }

  function takeList(first: number, { indent, number }: ListItem): MarkdownElement {
    const items: MarkdownElement[] = [];
    for (index = first; index < lines.length; ) {
      const next = skipBlank(index);
      const item = readItem(lines[next] ?? '');
      const isSame =
        item && item.indent < indent + 2 && (item.number === undefined) === (number === undefined);
      if (!isSame || isRule(lines[next] ?? '')) break;
      items.push(takeItem(next, item));
    }
    const list = element(number === undefined ? 'ul' : 'ol', items);
    return number === undefined || number === 1 ? list : { ...list, number };
  }

  function takeItem(first: number, { indent, width }: ListItem): MarkdownElement {
    const content = [expandTabs(lines[first] ?? '').slice(width)];
    for (index = first + 1; index < lines.length; ) {
      const next = skipBlank(index);
      const line = expandTabs(lines[next] ?? '');
      const isInside = next < lines.length && indentOf(line) >= indent + 2;
      const continues = next === index && !isStart(index) && !readItem(line);
      if (!isInside && !continues) break;
      for (; index < next; index += 1) content.push('');
      content.push(line.slice(Math.min(width, indentOf(line))));
      index += 1;
    }
    const children = nested(content);
    const [only] = children;
    // A short item is shown without the distances of a paragraph.
    const isShort = typeof only === 'object' && only.tag === 'p';
    return element('li', isShort ? [...only.children, ...children.slice(1)] : children);
  }

  function isTable(first: number): boolean {
    const header = lines[first] ?? '';
    const divider = lines[first + 1];
    if (!header.includes('|')) return false;
    if (divider === undefined) return options.isGrowing && header.trimStart().startsWith('|');
    return divider.includes('-') && divider.includes('|') && /^[\s|:-]+$/.test(divider);
  }

  function takeTable(first: number): MarkdownElement {
    const sides = cellsOf(lines[first + 1] ?? '').map(sideOf);
    const header = takeRow(first, 'th', maxColumns);
    const rows = [header];
    for (index = first + 2; lines[index]?.includes('|'); index += 1) {
      rows.push(takeRow(index, 'td', header.children.length));
    }
    return element('table', rows);

    function takeRow(at: number, tag: 'th' | 'td', columns: number): MarkdownElement {
      const cells = cellsOf(lines[at] ?? '').slice(0, columns);
      return element(
        'tr',
        cells.map((cell, column) => ({ ...element(tag, inline(cell)), align: sides[column] })),
      );
    }
  }

  function takeParagraph(first: number): MarkdownElement {
    index = first + 1;
    while (
      index < lines.length &&
      (lines[index] ?? '').trim() !== '' &&
      !isUnderline(index) &&
      !isStart(index)
    )
      index += 1;
    const text = lines
      .slice(first, index)
      .map((line) => line.trim())
      .join('\n')
      .replaceAll('\\\n', '\n');
    if (!isUnderline(index)) return element('p', inline(text));
    index += 1;
    return element('h3', inline(text));
  }

  /** `===` or `---` below a paragraph, which is a heading then. While it is written, a single `-` may still begin a list. */
  function isUnderline(at: number): boolean {
    const line = lines[at] ?? '';
    const isGrowing = options.isGrowing && at === lines.length - 1;
    return /^ {0,3}(=+|-+)[ \t]*$/.test(line) && !(isGrowing && line.trim() === '-');
  }

  function isStart(at: number): boolean {
    const line = lines[at] ?? '';
    if (/^ {0,3}(#{1,6} |```|~~~)/.test(line) || isRule(line) || isTable(at)) return true;
    if (depth >= maxNesting) return false;
    const item = readItem(line);
    // A number at the start of a line within a paragraph is more often a number than a list.
    return (
      isQuote(line) || (item !== undefined && (item.number === undefined || item.number === 1 || depth > 0))
    );
  }

  function skipBlank(from: number): number {
    let at = from;
    while (at < lines.length && (lines[at] ?? '').trim() === '') at += 1;
    return at;
  }

  function inline(text: string): MarkdownNode[] {
    // Only the end of the text can grow.
    return parseInline(text, { isGrowing: options.isGrowing && index >= lines.length });
  }

  function nested(content: readonly string[]): MarkdownNode[] {
    const isGrowing = options.isGrowing && index >= lines.length;
    return parseBlocks(content, { isGrowing }, depth + 1).map(({ node }) => node);
  }

  for (index = skipBlank(0); index < lines.length; index = skipBlank(index)) {
    const line = index;
    blocks.push({ line, node: take(line) });
  }
  return blocks;
}

function isRule(line: string): boolean {
  const marks = line.replaceAll(' ', '');
  return marks.length >= 3 && indentOf(line) < 4 && /^(-+|\*+|_+)$/.test(marks);
}

function isQuote(line: string): boolean {
  return /^ {0,3}>/.test(line);
}

function readItem(text: string): ListItem | undefined {
  const line = expandTabs(text);
  const match = /^ *(?:[-*+]|(\d{1,9})[.)])(?: +(?=\S)| *$)/.exec(line);
  if (!match) return undefined;
  const number = match[1] === undefined ? undefined : Number(match[1]);
  return { indent: indentOf(line), number, width: match[0].length };
}

function expandTabs(line: string): string {
  return line.replace(/^[ \t]+/, (indent) => indent.replaceAll('\t', '    '));
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** `:-:` and `--:` in the divider of a table. */
function sideOf(cell: string): MarkdownElement['align'] {
  return !cell.endsWith(':') ? undefined : cell.startsWith(':') ? 'center' : 'right';
}

/** A pipe after a backslash does not end a cell. */
function cellsOf(row: string): string[] {
  const cells = row
    .trim()
    .replace(/^\|/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
  if (cells.length > 1 && cells.at(-1) === '') cells.pop();
  return cells;
}
