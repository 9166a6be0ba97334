import { bytesPerRow } from './memory.ts';
import { createSegment, type Segment } from './segment.ts';

/** A vector of a chunk, with its segment and its position there. */
interface Row {
  chunkId: string;
  botId: string;
  segment: string;
  place: number;
}

export interface SpaceHit {
  chunkId: string;
  similarity: number;
}

/** A listed vector: its key is the chunk and the part of it. */
export interface Listed {
  key: string;
  chunkId: string;
  botId: string;
}

export type Space = ReturnType<typeof createSpace>;

/** Means every bot. */
export const anyBot = '';
/** Vectors of another size are skipped, because a server may have changed the model behind a name. */
const segmentName = (botId: string, dimensions: number) => `${botId}/${dimensions}`;

function mayBeSearched(name: string, botId: string | undefined, dimensions: number): boolean {
  if (botId === undefined) return name.endsWith(segmentName('', dimensions));
  return name === segmentName(anyBot, dimensions) || name === segmentName(botId, dimensions);
}

/** A chunk may have several of the nearest vectors, so more vectors than chunks are requested. */
const vectorsPerChunk = 4;

/** The vectors of one workspace and one model. Each bot has its own segment, so that a search sees only what it may. */
export function createSpace() {
  const rows = new Map<string, Row>();
  const segments = new Map<string, Segment<string>>();

  function remove(key: string, row: Row): void {
    rows.delete(key);
    const segment = segments.get(row.segment);
    const moved = segment?.removeAt(row.place);
    const other = moved === undefined ? undefined : rows.get(moved);
    if (other) other.place = row.place;
    if (segment?.size === 0) segments.delete(row.segment);
  }

  function add({ key, chunkId, botId }: Listed, vector: Float32Array): void {
    const known = rows.get(key);
    if (known) remove(key, known);
    const name = segmentName(botId, vector.length);
    const segment = segments.get(name) ?? createSegment<string>(vector.length);
    segments.set(name, segment);
    rows.set(key, { chunkId, botId, segment: name, place: segment.add(key, vector) });
  }

  return {
    get bytes(): number {
      const vectors = [...segments.values()].reduce((sum, segment) => sum + segment.bytes, 0);
      return vectors + rows.size * bytesPerRow;
    },
    /** Drops what is not listed, moves what changed its bot, and returns the chunks whose vectors are missing here. */
    keep(listed: Iterable<Listed>): string[] {
      const gone = new Map(rows);
      const missing = new Set<string>();
      for (const one of listed) {
        gone.delete(one.key);
        const row = rows.get(one.key);
        if (!row) missing.add(one.chunkId);
        else if (row.botId !== one.botId) {
          const vector = segments.get(row.segment)?.at(row.place).slice();
          if (vector) add(one, vector);
        }
      }
      for (const key of gone.keys()) {
        const row = rows.get(key);
        if (row) remove(key, row);
      }
      return [...missing];
    },
    add,
    /** Without a bot, all segments are searched; with one, its own and the one for all bots. */
    search(botId: string | undefined, vector: Float32Array, limit: number): SpaceHit[] {
      const best = new Map<string, number>();
      for (const [name, segment] of segments) {
        if (!mayBeSearched(name, botId, vector.length)) continue;
        for (const { key, similarity } of segment.search(vector, limit * vectorsPerChunk)) {
          const chunkId = rows.get(key)?.chunkId ?? '';
          best.set(chunkId, Math.max(similarity, best.get(chunkId) ?? -1));
        }
      }
      return [...best]
        .map(([chunkId, similarity]) => ({ chunkId, similarity }))
        .toSorted((one, other) => other.similarity - one.similarity)
        .slice(0, limit);
    },
  };
}
