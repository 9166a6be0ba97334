import { describe, expect, it } from 'vitest';
import { escapeText } from './escape-text.ts';

describe('escapeText', () => {
  it.each([
    ['a\u001b[2Jb', 'a\\u{1b}[2Jb'],
    ['one\ntwo\r\tthree\0', 'one\\ntwo\\r\\tthree\\u{0}'],
    ['\u009b31m', '\\u{9b}31m'],
    ['rm \u202etxt.exe', 'rm \\u{202e}txt.exe'],
    ['a\u2066b\u200bc\ufeffd\u2028e', 'a\\u{2066}b\\u{200b}c\\u{feff}d\\u{2028}e'],
    ['hidden \u{e0041}', 'hidden \\u{e0041}'],
    ['half \ud800', 'half \\u{d800}'],
    ['Grüße, 日本語 👋', 'Grüße, 日本語 👋'],
  ])('shows %j as %j', (text, shown) => expect(escapeText(text)).toBe(shown));

  it('clips long text', () => expect(escapeText('x'.repeat(500), 10)).toBe(`${'x'.repeat(10)}…`));
});
