import type { IndexedChunk } from './index-chunks.ts';

export interface StoredChunk {
  id: string;
  position: number;
  contentHash: Buffer;
}

export interface Replacement {
  /** Those whose place changed. */
  moved: { id: string; position: number }[];
  removed: string[];
  added: IndexedChunk[];
}

/** What to write so that a source has these chunks: one that says the same as before stays the same row. */
export function planReplacement(
  stored: readonly StoredChunk[],
  wanted: readonly IndexedChunk[],
): Replacement {
  /** Of those that say the same, the first one last: it is taken first. */
  const left = new Map<string, StoredChunk[]>();
  for (const chunk of stored.toReversed()) {
    const key = chunk.contentHash.toString('base64');
    const same = left.get(key);
    if (same) same.push(chunk);
    else left.set(key, [chunk]);
  }
  const moved: Replacement['moved'] = [];
  const added: Replacement['added'] = [];
  for (const chunk of wanted) {
    const same = left.get(chunk.contentHash)?.pop();
    if (!same) added.push(chunk);
    else if (same.position !== chunk.position) moved.push({ id: same.id, position: chunk.position });
  }
  return { moved, removed: [...left.values()].flat().map(({ id }) => id), added };
}
