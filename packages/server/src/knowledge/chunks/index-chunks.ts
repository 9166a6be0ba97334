import { hash } from 'node:crypto';
import { type PackedTerms, packTerms } from '../keywords/packed-terms.ts';
import { createTermReader } from '../keywords/terms.ts';
import type { Chunk } from './split.ts';

/** A passage with everything that is worked out from it. */
export interface IndexedChunk extends Chunk {
  /** As base64: what it says and under which headings. */
  contentHash: string;
  terms: PackedTerms;
}

/**
 * Works out what passages are told apart and found by. A millisecond each: for a long text it is done where nothing else
 * waits, and never while a transaction is open.
 */
export function indexChunks(workspaceId: string, chunks: readonly Chunk[]): IndexedChunk[] {
  const termsOf = createTermReader(workspaceId);
  return chunks.map((chunk) => ({
    ...chunk,
    contentHash: hash('sha256', JSON.stringify([chunk.headingPath, chunk.content]), 'base64'),
    terms: packTerms(termsOf(searchableText(chunk))),
  }));
}

/** What is looked through: a passage is about its headings, too. */
function searchableText({ headingPath, content }: Pick<Chunk, 'headingPath' | 'content'>): string {
  return [...headingPath, content].join('\n');
}
