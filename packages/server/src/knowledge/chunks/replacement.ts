import { hash } from 'node:crypto';

/** A passage as it was cut from its source. */
export interface NewChunk {
  position: number;
  /** The headings above it, outermost first. */
  headingPath: string[];
  content: string;
  tokenCount: number;
}

export interface StoredChunk {
  id: string;
  position: number;
  contentHash: Buffer;
}

export interface Replacement {
  /** Those whose place changed. */
  moved: { id: string; position: number }[];
  removed: string[];
  added: (NewChunk & { contentHash: Buffer })[];
}

/** What to write so that a source has these chunks: one that says the same as before stays the same row. */
export function planReplacement(stored: readonly StoredChunk[], wanted: readonly NewChunk[]): Replacement {
  const left = new Map<string, StoredChunk[]>();
  for (const chunk of stored) {
    const key = chunk.contentHash.toString('base64');
    left.set(key, [...(left.get(key) ?? []), chunk]);
  }
  const moved: Replacement['moved'] = [];
  const added: Replacement['added'] = [];
  for (const chunk of wanted) {
    const contentHash = contentHashOf(chunk);
    const same = left.get(contentHash.toString('base64'))?.shift();
    if (!same) added.push({ ...chunk, contentHash });
    else if (same.position !== chunk.position) moved.push({ id: same.id, position: chunk.position });
  }
  return { moved, removed: [...left.values()].flat().map(({ id }) => id), added };
}

function contentHashOf({ headingPath, content }: NewChunk): Buffer {
  return hash('sha256', JSON.stringify([headingPath, content]), 'buffer');
}

/** What is embedded and looked through: a passage is about its headings, too. */
export function searchableText({ headingPath, content }: Pick<NewChunk, 'headingPath' | 'content'>): string {
  return [...headingPath, content].join('\n');
}
