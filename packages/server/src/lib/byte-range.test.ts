import { expect, test } from 'vitest';
import { readByteRange } from './byte-range.ts';

test.each([
  ['bytes=0-', { start: 0, end: 100 }],
  ['bytes=10-19', { start: 10, end: 20 }],
  ['bytes=90-500', { start: 90, end: 100 }],
  ['bytes=-30', { start: 70, end: 100 }],
  ['bytes=-300', { start: 0, end: 100 }],
  ['bytes=100-', undefined],
  ['bytes=-0', undefined],
  ['bytes=20-10', undefined],
  ['bytes=-', undefined],
  ['bytes=0-1,5-6', undefined],
  ['lines=1-2', undefined],
  [undefined, undefined],
])('%s of 100 bytes', (header, range) => {
  expect(readByteRange(header, 100)).toEqual(range);
});
