import { expect, it } from 'vitest';
import { lastCited } from './last-cited.ts';

it.each([
  ['Open until six.', 0],
  ['Open until six [1].', 1],
  ['Open until six [1], on Sundays until four [1, 2]. Always', 2],
  ['Cut in a mark [1', 0],
])('in %j is %i', (text, last) => {
  expect(lastCited(text)).toBe(last);
});
