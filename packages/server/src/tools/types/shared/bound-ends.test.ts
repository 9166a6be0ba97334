import { expect, it } from 'vitest';
import { boundEnds } from './bound-ends.ts';

it('keeps a text that fits', () => {
  expect(boundEnds('äöü', 6)).toBe('äöü');
});

it('keeps both ends of a longer one, without partial characters', () => {
  expect(boundEnds('abcdefghij', 6)).toBe('abc\n… 4 bytes left out …\nhij');
  expect(boundEnds('€€€€€', 8)).toBe('€\n… 9 bytes left out …\n€');
});
