import { hash } from 'node:crypto';
import { type PackedTerms, packTerms } from '../keywords/packed-terms.ts';
import { createTermReader } from '../keywords/terms.ts';
import type { Chunk } from './split.ts';

/** A passage with everything that is derived from it. */
export interface IndexedChunk extends Chunk {
  /** A hash of content and headings, as base64. */
  contentHash: string;
  terms: PackedTerms;
}

/**
 * Computes the hashes and terms of passages. It takes a millisecond each, so a long text is indexed in a process of its own,
 * and never while a transaction is open.
 */
export function indexChunks(workspaceId: string, chunks: readonly Chunk[]): IndexedChunk[] {
  const termsOf = createTermReader(workspaceId);
  return chunks.map((chunk) => ({
    ...chunk,
    contentHash: hash('sha256', JSON.stringify([chunk.headingPath, chunk.content]), 'base64'),
    terms: packTerms(termsOf(searchableText(chunk))),
  }));
}

/** The text that is searched, including the headings. */
function searchableText({ headingPath, content }: Pick<Chunk, 'headingPath' | 'content'>): string {
  return [...headingPath, content].join('\n');
}
