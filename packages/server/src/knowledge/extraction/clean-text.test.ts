import { describe, expect, it } from 'vitest';
import { cleanText, cleanTitle } from './clean-text.ts';

describe('clean text', () => {
  it.each([
    ['a\r\nb\rc\u2028d', 'a\nb\nc\nd'],
    ['\n\n  a  \n\n\n\nb\t\n', '  a\n\nb'],
    ['a\0b\x07c\ufeffd\u200be\u00adf', 'abcdef'],
    ['\ud800a\udc00', '\ufffda\ufffd'],
    ['a\u00a0b\u3000c', 'a b c'],
    ['e\u0301', 'é'],
    ['\u202eevil\u202c', 'evil'],
    ['seen\u{e0068}\u{e0069}', 'seen'],
    ['👩‍👧 می‌خواهم', '👩‍👧 می‌خواهم'],
    ['\tkeeps tabs', '\tkeeps tabs'],
  ])('%j', (text, clean) => expect(cleanText(text)).toBe(clean));

  it('takes five megabytes of spaces in its stride', () => {
    expect(cleanText(`${' '.repeat(5_000_000)}x${'\n '.repeat(1_000_000)}`).length).toBe(5_000_001);
  });

  it('makes a title of one line, or none', () => {
    expect(cleanTitle('  A\n title\0 ')).toBe('A title');
    expect(cleanTitle(' \u200b ')).toBeNull();
    expect(cleanTitle(undefined)).toBeNull();
    expect(cleanTitle(`a${'🐝'.repeat(1_000)}`)).toBe(`a${'🐝'.repeat(149)}`);
  });
});
