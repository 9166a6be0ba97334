import { expect, it } from 'vitest';
import { heardPart } from './heard-part.ts';

it.each([
  [0, ''],
  [0.1, ''],
  [0.5, 'Your parcel'],
  [0.55, 'Your parcel is'],
  [0.7, 'Your parcel is on'],
  [0.98, 'Your parcel is on its way.'],
])('of which %d was played', (share, heard) => {
  expect(heardPart('Your parcel is on its way.', share)).toBe(heard);
});

it.each([
  [0, ''],
  [0.5, '您的包裹'],
  [1, '您的包裹明天到达。'],
])('in a language without spaces, of which %d was played', (share, heard) => {
  expect(heardPart('您的包裹明天到达。', share)).toBe(heard);
});
