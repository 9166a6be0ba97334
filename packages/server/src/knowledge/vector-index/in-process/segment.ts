import { exactSearch, MetricKind } from 'usearch';
import { growth, perBlock } from './memory.ts';

/** Vectors in contiguous memory, each with its owner's key. */
export interface Segment<Key> {
  readonly size: number;
  readonly bytes: number;
  /** Returns its position. */
  add(key: Key, vector: Float32Array): number;
  /** The last vector moves into the free position; returns its key, or undefined when none moved. */
  removeAt(place: number): Key | undefined;
  at(place: number): Float32Array;
  /** The nearest, best first. */
  search(vector: Float32Array, limit: number): { key: Key; similarity: number }[];
}

const fewest = 8;

/** Exact search: nothing to build or tune, and fast enough at these sizes. */
export function createSegment<Key>(dimensions: number): Segment<Key> {
  const blocks: Float32Array[] = [];
  const keys: Key[] = [];
  const usedOf = (block: number) => Math.min(perBlock, keys.length - block * perBlock);

  function resizeLast(capacity: number, used: number): void {
    const resized = new Float32Array(Math.min(perBlock, Math.max(fewest, capacity)) * dimensions);
    const last = blocks.pop();
    if (last) resized.set(last.subarray(0, used * dimensions));
    blocks.push(resized);
  }

  function at(place: number): Float32Array {
    const start = (place % perBlock) * dimensions;
    return (blocks[Math.floor(place / perBlock)] ?? new Float32Array()).subarray(start, start + dimensions);
  }

  return {
    get size() {
      return keys.length;
    },
    get bytes() {
      return blocks.reduce((sum, { byteLength }) => sum + byteLength, 0);
    },
    add(key, vector) {
      const place = keys.length;
      const used = place % perBlock;
      if (used === 0) blocks.push(new Float32Array(fewest * dimensions));
      else if ((used + 1) * dimensions > (blocks.at(-1)?.length ?? 0)) {
        resizeLast(Math.ceil((used + 1) * growth), used);
      }
      at(place).set(vector);
      keys.push(key);
      return place;
    },
    removeAt(place) {
      const last = keys.pop();
      const lastPlace = keys.length;
      let moved: Key | undefined;
      if (last !== undefined && place < lastPlace) {
        at(place).set(at(lastPlace));
        keys[place] = last;
        moved = last;
      }
      const used = lastPlace % perBlock;
      if (used === 0) blocks.pop();
      else if (used > fewest && used * dimensions * 2 < (blocks.at(-1)?.length ?? 0)) {
        resizeLast(Math.ceil(used * growth), used);
      }
      return moved;
    },
    at,
    search(vector, limit) {
      const found = blocks.flatMap((block, number) => {
        const used = usedOf(number);
        const rows = block.subarray(0, used * dimensions);
        // For vectors of length one the inner product is the cosine. A second thread pays off only far above these sizes.
        const nearest = exactSearch(rows, vector, dimensions, Math.min(limit, used), MetricKind.IP, 1);
        return Array.from(nearest.keys, (place, index) => ({
          key: keys[number * perBlock + Number(place)] as Key,
          similarity: 1 - (nearest.distances[index] ?? 1),
        }));
      });
      return found.toSorted((one, other) => other.similarity - one.similarity).slice(0, limit);
    },
  };
}
