import { countTokens } from './count-tokens.ts';
import { packSection } from './pack-section.ts';
import { readSections } from './sections.ts';

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
