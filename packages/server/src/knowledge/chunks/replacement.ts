import type { IndexedChunk } from './index-chunks.ts';

export interface StoredChunk {
  id: string;
  position: number;
  contentHash: Buffer;
}

export interface Replacement {
  /** Chunks whose position changed. */
  moved: { id: string; position: number }[];
  removed: string[];
  added: IndexedChunk[];
}

/** The changes that give a source these chunks: an unchanged chunk keeps its row. */
export function planReplacement(
  stored: readonly StoredChunk[],
  wanted: readonly IndexedChunk[],
): Replacement {
  /** Of equal chunks the first one comes last, because the last one is taken first. */
  const left = Map.groupBy(stored.toReversed(), ({ contentHash }) => contentHash.toString('base64'));
  const moved: Replacement['moved'] = [];
  const added: Replacement['added'] = [];
  for (const chunk of wanted) {
    const same = left.get(chunk.contentHash)?.pop();
    if (!same) added.push(chunk);
    else if (same.position !== chunk.position) moved.push({ id: same.id, position: chunk.position });
  }
  return { moved, removed: [...left.values()].flat().map(({ id }) => id), added };
}
