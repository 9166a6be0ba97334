import { expect, it } from 'vitest';
import { Effort } from './effort.ts';
import { isMultiple as check } from './is-multiple.ts';

const isMultiple = (value: number, of: number) => check(value, of, new Effort(50));

it.each([
  [0.3, 0.1],
  [0.0075, 0.0001],
  [4.35, 0.01],
  [-1.5, 0.5],
  [0, 0.1],
  [-0, 3],
  [7, 7],
  [9007199254740992, 2],
  [1e22, 10],
  [1e308, 0.5],
  [1e308, 5e-324],
  [1.5e-7, 5e-8],
  [3, 1.5],
  [1000000000000000.25, 0.25],
])('%d is a multiple of %d', (value, of) => expect(isMultiple(value, of)).toBe(true));

it.each([
  [1000000000000000.25, 1],
  [Number('12345678901234.567'), 0.01],
  [9007199254740992, 3],
  [1e22, 7],
  [0.25, 0.1],
  [0.00751, 0.0001],
  [1e308, 0.123456789],
  [5e-324, 1],
  [1.5, 2],
  [35, 1.5],
])('%d is not a multiple of %d', (value, of) => expect(isMultiple(value, of)).toBe(false));
