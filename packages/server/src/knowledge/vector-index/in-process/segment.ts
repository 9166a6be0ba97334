import { exactSearch, MetricKind } from 'usearch';

/** Vectors side by side in one piece of memory, each with a key of its owner's. */
export interface Segment<Key> {
  readonly size: number;
  readonly bytes: number;
  /** Where it now lies. */
  add(key: Key, vector: Float32Array): number;
  /** The last one takes the place that becomes free; its key is returned, or undefined when none moved. */
  removeAt(place: number): Key | undefined;
  at(place: number): Float32Array;
  /** The nearest, best first. */
  search(vector: Float32Array, limit: number): { key: Key; similarity: number }[];
}

const fewest = 64;

/** Exact search: nothing to build, nothing to tune, and at these sizes quick enough. */
export function createSegment<Key>(dimensions: number): Segment<Key> {
  let matrix = new Float32Array(fewest * dimensions);
  const keys: Key[] = [];

  function resize(capacity: number): void {
    const larger = new Float32Array(capacity * dimensions);
    larger.set(matrix.subarray(0, keys.length * dimensions));
    matrix = larger;
  }

  const at = (place: number) => matrix.subarray(place * dimensions, (place + 1) * dimensions);

  return {
    get size() {
      return keys.length;
    },
    get bytes() {
      return matrix.byteLength;
    },
    add(key, vector) {
      const place = keys.length;
      if ((place + 1) * dimensions > matrix.length) resize(Math.ceil((place + 1) * 1.5));
      matrix.set(vector, place * dimensions);
      keys.push(key);
      return place;
    },
    removeAt(place) {
      const last = keys.pop();
      const lastPlace = keys.length;
      let moved: Key | undefined;
      if (last !== undefined && place < lastPlace) {
        matrix.copyWithin(place * dimensions, lastPlace * dimensions, (lastPlace + 1) * dimensions);
        keys[place] = last;
        moved = last;
      }
      if (keys.length > fewest && keys.length * dimensions * 4 < matrix.length) resize(keys.length * 2);
      return moved;
    },
    at,
    search(vector, limit) {
      const count = Math.min(limit, keys.length);
      if (count === 0) return [];
      const rows = matrix.subarray(0, keys.length * dimensions);
      // Vectors of length one: their inner product is the cosine. A second thread pays only far above these sizes.
      const found = exactSearch(rows, vector, dimensions, count, MetricKind.IP, 1);
      return Array.from(found.keys, (place, index) => ({
        key: keys[Number(place)] as Key,
        similarity: 1 - (found.distances[index] ?? 1),
      }));
    },
  };
}
