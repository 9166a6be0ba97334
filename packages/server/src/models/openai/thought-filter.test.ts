import { assert, integer, property, uniqueArray } from 'fast-check';
import { expect, test } from 'vitest';
import { createThoughtFilter } from './thought-filter.ts';

function filter(...pieces: string[]): string {
  const thoughts = createThoughtFilter();
  return pieces.map((piece) => thoughts.push(piece)).join('') + thoughts.flush();
}

test.each([
  ['plain text', 'plain text'],
  ['<think>plan</think>\n\nHello', 'Hello'],
  ['\n<think>\na </thin b\n</think>Hello </think>', 'Hello </think>'],
  ['The tag <think> opens', 'The tag <think> opens'],
  ['<thinking about it', '<thinking about it'],
  ['<thi', '<thi'],
  ['<think>never ends', ''],
  ['', ''],
])('%j → %j, in whatever pieces it comes', (text, expected) => {
  expect(filter(text)).toBe(expected);
  assert(
    property(uniqueArray(integer({ min: 1, max: 50 })), (cuts) => {
      const places = [0, ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b), text.length];
      expect(filter(...places.slice(1).map((place, index) => text.slice(places[index], place)))).toBe(
        expected,
      );
    }),
  );
});

test('text that cannot be a tag is not held back', () => {
  const thoughts = createThoughtFilter();
  expect(thoughts.push('H')).toBe('H');
});
