import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createBackupKey } from './backup-key.ts';
import { createChunkSplitter, maxChunkBytes } from './chunk-splitter.ts';

const key = createBackupKey(randomBytes(32));

/** Pushed in parts of this size. */
function split(content: Buffer, partBytes: number, boundaries = key.boundaries): Buffer[] {
  const chunks: Buffer[] = [];
  const splitter = createChunkSplitter(boundaries, (chunk) => void chunks.push(chunk));
  const part = Buffer.alloc(partBytes);
  for (let start = 0; start < content.length; start += partBytes) {
    const length = content.copy(part, 0, start);
    splitter.push(part.subarray(0, length));
  }
  splitter.end();
  return chunks;
}

const content = randomBytes(12_000_000);

it('loses nothing, and splits at the same places however the bytes arrive', () => {
  const chunks = split(content, 65_536);
  expect(Buffer.concat(chunks).equals(content)).toBe(true);
  expect(split(content, 10_007).map(({ length }) => length)).toEqual(chunks.map(({ length }) => length));
  expect(split(content, content.length)).toHaveLength(chunks.length);
});

it('makes chunks of a quarter to four megabytes', () => {
  const sizes = split(content, 65_536).map(({ length }) => length);
  for (const size of sizes.slice(0, -1)) expect(size).toBeGreaterThanOrEqual(256 * 1024);
  for (const size of sizes) expect(size).toBeLessThanOrEqual(maxChunkBytes);
});

it('gives the same chunks around what was inserted', () => {
  const changed = Buffer.concat([
    content.subarray(0, 5_000_000),
    randomBytes(1_000),
    content.subarray(5_000_000),
  ]);
  const names = new Set(split(content, 65_536).map(key.nameOf));
  const fresh = split(changed, 65_536).filter((chunk) => !names.has(key.nameOf(chunk)));
  expect(fresh.length).toBeLessThanOrEqual(3);
});

it('splits what repeats itself at the largest size', () => {
  const sizes = split(Buffer.alloc(10_000_000, 'a'), 65_536).map(({ length }) => length);
  expect(sizes.at(-1)).toBe(10_000_000 % (sizes[0] ?? 1));
  expect(sizes[0]).toBeLessThanOrEqual(maxChunkBytes);
});

it('splits elsewhere under another key', () => {
  const other = split(content, 65_536, createBackupKey(randomBytes(32)).boundaries);
  expect(other.map(({ length }) => length)).not.toEqual(split(content, 65_536).map(({ length }) => length));
});

it('has nothing to split of nothing', () => {
  expect(split(Buffer.alloc(0), 10)).toEqual([]);
});
