import { expect, it } from 'vitest';
import { plausibleText } from './plausible-text.ts';

it.each([
  ['Hello there.', 'Hello there.'],
  ['No, no, no, thank you.', 'No, no, no, thank you.'],
  ['the the the the the the', 'the'],
  ['And you know, you know, you know, you know, you know, fine.', 'And you know, fine.'],
  ['  ... ', ''],
  ['', ''],
  ['\ufffd\ufffd', ''],
])('%j becomes %j', (text, expected) => {
  expect(plausibleText(text)).toBe(expected);
});

it('ends even for a long text of nothing', () => {
  expect(plausibleText('. '.repeat(500))).toBe('');
});
