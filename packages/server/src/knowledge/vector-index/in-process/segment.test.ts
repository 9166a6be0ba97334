import { expect, it } from 'vitest';
import { bytesOf, bytesPerRow, perBlock } from './memory.ts';
import { createSegment } from './segment.ts';

const dimensions = 4;

/** Any vector of length one, the same for the same number. */
function vectorOf(number: number): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, (_, at) =>
    Math.sin((number + 1) * (at + 1) * 1.7),
  );
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

const sizes = [1, 8, 9, 100, perBlock - 1, perBlock, perBlock + 1, 2 * perBlock + 500];

it.each(sizes)(
  'of %i vectors finds what is nearest, even if some are gone, and takes what was reckoned',
  (size) => {
    const segment = createSegment<number>(dimensions);
    const places = new Map<number, number>();
    const check = () => {
      const asked = vectorOf(0.5);
      const similarity = (key: number) =>
        vectorOf(key).reduce((sum, value, at) => sum + value * (asked[at] ?? 0), 0);
      const expected = [...places.keys()]
        .map(similarity)
        .toSorted((one, other) => other - one)
        .slice(0, 10);
      const found = segment.search(asked, 10);
      expect(found).toHaveLength(expected.length);
      for (const [place, hit] of found.entries()) {
        expect(hit.similarity).toBeCloseTo(expected[place] ?? Number.NaN, 5);
        expect(similarity(hit.key)).toBeCloseTo(hit.similarity, 5);
      }
      expect(segment.size).toBe(places.size);
    };
    for (let key = 0; key < size; key += 1) places.set(key, segment.add(key, vectorOf(key)));
    check();
    expect(segment.bytes).toBeLessThanOrEqual(bytesOf(Math.max(size, 8), dimensions) - size * bytesPerRow);

    for (let key = 0; key < size; key += 3) {
      const place = places.get(key) ?? -1;
      places.delete(key);
      const moved = segment.removeAt(place);
      if (moved !== undefined) places.set(moved, place);
    }
    check();
    for (const [key, place] of places) expect(segment.at(place)).toEqual(vectorOf(key));
  },
);
