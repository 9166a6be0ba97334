import { expect, it } from 'vitest';
import { repeats } from './word-runs.ts';

const passage = 'Goods can be returned within 30 days of delivery, unless they were **opened** or worn.';

it.each([
  ['the same words', 'Yes: goods can be returned within 30 days of delivery.', true],
  ['the same words, marked up', 'Goods can be returned within **30 days** of delivery', true],
  ['the same words in another order', 'Within 30 days of delivery goods can be returned.', false],
  ['few of them', 'You can return it within 30 days.', false],
  ['none of them', 'Hello!', false],
  ['nothing', '', false],
])('%s', (_what, text, expected) => {
  expect(repeats(text, passage)).toBe(expected);
});
