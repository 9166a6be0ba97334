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
 * Divides a text into chunks along its own structure: none reaches over a heading, lists are divided between items and tables
 * between rows, paragraphs between sentences where they must be. A heading that says what the title says is left out of
 * the path: whoever shows a chunk shows the title too.
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
