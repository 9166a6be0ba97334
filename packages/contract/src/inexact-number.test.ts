import { expect, it } from 'vitest';
import { findInexactNumber } from './inexact-number.ts';

it.each([
  ['{"id": 9007199254740993}', '9007199254740993'],
  ['[1, -9007199254740993]', '-9007199254740993'],
  ['{"much": 1e400}', '1e400'],
  ['{"id": "9007199254740993", "quoted \\" 9007199254740993": 1}', undefined],
  ['{"id": 9007199254740992, "amount": 12.5, "small": 1e-3}', undefined],
])('%s', (json, found) => {
  expect(findInexactNumber(json)).toBe(found);
});
