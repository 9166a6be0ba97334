import { type Block, readBlocks } from './blocks.ts';
import { countTokens } from './count-tokens.ts';
import { packSection } from './pack-section.ts';

export interface Chunk {
  position: number;
  /** The headings above it, outermost first. */
  headingPath: string[];
  content: string;
  tokenCount: number;
}

/**
 * Splits a text into chunks along its structure: no chunk crosses a heading, lists are split between items, tables between
 * rows, and paragraphs between sentences where necessary. A heading that repeats the title is left out of the path, because
 * chunks are shown with their title.
 */
export function splitIntoChunks(markdown: string, { title }: { title: string | null }): Chunk[] {
  const chunks: Chunk[] = [];
  for (const { path, blocks } of readSections(markdown)) {
    const isTitle = path[0] !== undefined && path[0].toLowerCase() === title?.trim().toLowerCase();
    for (const { overlap, own } of packSection(blocks)) {
      const content = overlap + own;
      chunks.push({
        position: chunks.length,
        headingPath: isTitle ? path.slice(1) : path,
        content,
        tokenCount: countTokens(content),
      });
    }
  }
  return chunks;
}

interface Section {
  /** Headings, outermost first. */
  path: string[];
  blocks: Block[];
}

/** The blocks under each heading. A heading without text becomes its own text, so that it can be found. */
function readSections(markdown: string): Section[] {
  const sections: Section[] = [];
  let open: { level: number; text: string }[] = [];
  let current: Section = { path: [], blocks: [] };
  const finish = (nextLevel: number) => {
    const heading = open.at(-1);
    const isBare = current.blocks.length === 0 && heading !== undefined && nextLevel <= heading.level;
    if (isBare) current.blocks.push({ kind: 'paragraph', head: '', parts: [heading.text], tail: '' });
    if (current.blocks.length > 0) sections.push(current);
  };
  for (const block of readBlocks(markdown)) {
    if (block.kind !== 'heading') {
      current.blocks.push(block);
      continue;
    }
    finish(block.level);
    open = [...open.filter(({ level }) => level < block.level), { level: block.level, text: block.text }];
    current = { path: open.map(({ text }) => text), blocks: [] };
  }
  finish(0);
  return sections;
}
