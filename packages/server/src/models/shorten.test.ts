import { expect, it } from 'vitest';
import { shorten } from './shorten.ts';

it('leaves what fits, and keeps the beginning and the end of what does not', () => {
  expect(shorten('short', 10)).toBe('short');
  expect(shorten(`begin${'x'.repeat(500)}the end`, 14)).toBe('beginxx\n[…]\nthe end');
});

it('cuts no character in half', () => {
  expect(shorten('🙂'.repeat(500), 9).isWellFormed()).toBe(true);
});
