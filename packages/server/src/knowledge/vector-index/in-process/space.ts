import { createSegment, type Segment } from './segment.ts';

/** One vector of a chunk, and in whose segment it lies where. */
interface Row {
  chunkId: string;
  botId: string;
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

/** The vectors of one workspace and one model. Each bot's own lie apart, so that a search looks at none it may not see. */
export interface Space {
  readonly bytes: number;
  readonly size: number;
  /** Drops what is not listed, moves what changed hands, and says which chunks have vectors that are missing here. */
  keep(listed: Iterable<Listed>): string[];
  add(listed: Listed, vector: Float32Array): void;
  /** Without a bot all segments are searched; with one, its own and that of all bots. */
  search(botId: string | undefined, vector: Float32Array, limit: number): SpaceHit[];
}

/** Stands for every bot. */
export const anyBot = '';
/** A chunk may hold several of the nearest vectors: so many more are looked at than chunks are asked for. */
const vectorsPerChunk = 4;

export function createSpace(): Space {
  const rows = new Map<string, Row>();
  const segments = new Map<string, Segment<string>>();

  function remove(key: string, { botId, place }: Row): void {
    rows.delete(key);
    const segment = segments.get(botId);
    const moved = segment?.removeAt(place);
    const other = moved === undefined ? undefined : rows.get(moved);
    if (other) other.place = place;
    if (segment?.size === 0) segments.delete(botId);
  }

  function add({ key, chunkId, botId }: Listed, vector: Float32Array): void {
    const known = rows.get(key);
    if (known) remove(key, known);
    const segment = segments.get(botId) ?? createSegment<string>(vector.length);
    segments.set(botId, segment);
    rows.set(key, { chunkId, botId, place: segment.add(key, vector) });
  }

  return {
    get bytes() {
      return [...segments.values()].reduce((sum, segment) => sum + segment.bytes, 0);
    },
    get size() {
      return rows.size;
    },
    keep(listed) {
      const gone = new Map(rows);
      const missing = new Set<string>();
      for (const one of listed) {
        gone.delete(one.key);
        const row = rows.get(one.key);
        if (!row) missing.add(one.chunkId);
        else if (row.botId !== one.botId) {
          const vector = segments.get(row.botId)?.at(row.place).slice();
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
    search(botId, vector, limit) {
      const searched =
        botId === undefined
          ? [...segments.values()]
          : [segments.get(anyBot), segments.get(botId)].filter((segment) => segment !== undefined);
      const best = new Map<string, number>();
      for (const segment of searched) {
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
