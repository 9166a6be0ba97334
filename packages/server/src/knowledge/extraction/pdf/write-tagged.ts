import { endsSentence, joinLines } from './lines.ts';
import type { PlacedText } from './placed-text.ts';
import { type PdfPage, type TaggedBlock, taggedBlocks } from './tagged-blocks.ts';

/** A structure tree that leaves out more than headers and footers is not usable. */
const minShare = 0.7;

/** Markdown of tagged pages; undefined when they are not tagged, or only partly. */
export function writeTagged(pages: readonly PdfPage[]): string | undefined {
  const blocks: TaggedBlock[] = [];
  for (const { structure, pieces } of pages) {
    if (!structure && pieces.length > 0) return undefined;
    const onPage = structure ? taggedBlocks(structure, pieces) : [];
    for (const [index, block] of onPage.entries()) {
      if (index > 0 || !joinsLast(blocks, block)) blocks.push(block);
    }
  }
  const written = blocks.map(write);
  const all = pages.flatMap(({ pieces }) => pieces);
  const lettersIn = (texts: readonly PlacedText[]) =>
    texts.reduce((sum, { text }) => sum + lettersOf(text), 0);
  const filledIn = lettersIn(all.filter(({ isFilledIn }) => isFilledIn));
  const kept = written.reduce((sum, text) => sum + lettersOf(text), 0);
  return kept - filledIn >= (lettersIn(all) - filledIn) * minShare ? written.join('\n\n') : undefined;
}

function lettersOf(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

/** Rejoins blocks that a page break split. */
function joinsLast(blocks: TaggedBlock[], block: TaggedBlock): boolean {
  const last = blocks.at(-1);
  if (last?.kind === 'paragraph' && block.kind === 'paragraph' && !endsSentence(last.text)) {
    last.text = joinLines(last.text, block.text);
    return true;
  }
  if (last?.kind === 'table' && block.kind === 'table' && last.rows[0]?.length === block.rows[0]?.length) {
    const isRepeated = block.hasHeader && String(block.rows[0]) === String(last.rows[0]);
    if (block.hasHeader && !isRepeated) return false;
    last.rows.push(...block.rows.slice(isRepeated ? 1 : 0));
    return true;
  }
  if (last?.kind === 'list' && block.kind === 'list') {
    last.items.push(...block.items);
    return true;
  }
  return false;
}

function write(block: TaggedBlock): string {
  if (block.kind === 'heading') return `${'#'.repeat(block.level)} ${block.text}`;
  if (block.kind === 'list') return block.items.join('\n');
  if (block.kind === 'paragraph') return block.text.replace(/^(#{1,6}\s|```|~~~)/, String.raw`\$1`);
  const [header = [], ...rows] = block.rows.map((row) =>
    row.map((cell) => cell.replaceAll('|', String.raw`\|`)),
  );
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
