import { expect, it } from 'vitest';
import { plainText } from './plain-text.ts';

it.each([
  ['**Within 30 days** [1], `free` of charge [2].', 'Within 30 days, free of charge.'],
  ['## Steps\n\n1. Pack *it*\n2. Send it\n   - soon', 'Steps Pack it Send it soon'],
  ['See [the guide](https://a.test/x)', 'See the guide'],
  ['| Size | Price |\n|---|--:|\n| S | 4 |', 'Size Price S 4'],
  ['```js\nlet a = 1;\n```\nDone.', 'let a = 1; Done.'],
  ['one\ntwo\r\n\n> three', 'one two three'],
  // The beginning of a longer text.
  ['It takes **two wee', 'It takes two wee'],
  ['2 * 3 and snake_case stay', '2 * 3 and snake_case stay'],
  ['a\u0000b', 'ab'],
  ['', ''],
])('%j reads %j', (text, expected) => {
  expect(plainText(text)).toBe(expected);
});
