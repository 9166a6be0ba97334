import { expect, it } from 'vitest';
import { titleOf } from './title.ts';

it('is the first message when it is short', () => {
  expect(titleOf('  Where is\n my parcel? ')).toBe('Where is my parcel?');
});

it('is cut between words when it is long', () => {
  const title = titleOf('word '.repeat(50));
  expect(title).toMatch(/^(word )*word…$/);
  expect(title.length).toBeLessThanOrEqual(81);
});

it('never ends in half a character', () => {
  expect(titleOf(`${'x'.repeat(79)}😀😀`)).toBe(`${'x'.repeat(79)}…`);
});
