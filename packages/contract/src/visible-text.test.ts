import { expect, it } from 'vitest';
import { plainLine, visibleJson, visibleParts, visibleText } from './visible-text.ts';

it('leaves what can be read as it is', () => {
  const text = 'Grüße, 天気 👍🏽\n\tnaïve — “quoted”';
  expect(visibleText(text)).toBe(text);
});

it('writes out what a terminal would act upon or hide', () => {
  expect(visibleText('a\u001B[2Kb')).toBe(String.raw`a\u{1b}[2Kb`);
  expect(visibleText('safe\rrm -rf /')).toBe(String.raw`safe\u{d}rm -rf /`);
  expect(visibleText('\u009B31m\u0000\u007F')).toBe(String.raw`\u{9b}31m\u{0}\u{7f}`);
  expect(visibleText('user\u202Etxt.exe\u2066\u200B')).toBe(String.raw`user\u{202e}txt.exe\u{2066}\u{200b}`);
  expect(visibleText('one\u2028two\uD83D')).toBe(String.raw`one\u{2028}two\u{d83d}`);
});

it('writes out what only looks like a blank', () => {
  expect(visibleText('rm\u3164-rf\u00A0/\u2800\uFFA0\u115F\u3000')).toBe(
    String.raw`rm\u{3164}-rf\u{a0}/\u{2800}\u{ffa0}\u{115f}\u{3000}`,
  );
  expect(visibleText('a\u034Fb\uFE0F\u{E0101}')).toBe(String.raw`a\u{34f}b\u{fe0f}\u{e0101}`);
});

it('writes out what is hidden in JSON as the same JSON', () => {
  const value = { path: 'a\u202Eb\u3164\u{E0101}\u0000', text: String.raw`\u202e`, lines: 'one\n\ttwo' };
  const shown = visibleJson(value);
  expect(shown).toMatch(/^[ -~\n]*$/);
  expect(JSON.parse(shown)).toEqual(value);
});

it('separates what would not be seen from the rest', () => {
  expect(visibleParts('a\u202Eb\tc')).toEqual([
    { text: 'a', isHidden: false },
    { text: String.raw`\u{202e}`, isHidden: true },
    { text: 'b\tc', isHidden: false },
  ]);
  expect(visibleParts('')).toEqual([]);
});

it('leaves names as people write them, but for what could deceive', () => {
  const names = 'می‌خواهم ❤️ 👩‍💻 Ünal\u00A0&\u200ESöhne';
  expect(visibleParts(names, 'deceptive')).toEqual([{ text: names, isHidden: false }]);
  const shown = visibleParts('invoice\u202Efdp.exe\u200B\uD83D', 'deceptive').map(({ text }) => text);
  expect(shown.join('')).toBe(String.raw`invoice\u{202e}fdp.exe\u{200b}\u{d83d}`);
});

it('keeps of a name what people write, on one line', () => {
  expect(plainLine('  Jean\u00A0Paul\r\n\tSartre ')).toBe('Jean Paul Sartre');
  const names = 'می‌خواهم ❤️ 👩‍💻 Ünal Söhne 王小明';
  expect(plainLine(names)).toBe(names);
  expect(plainLine('invoice\u202Efdp.exe\u200B\uD83D\u061C\u3164\u{E0041}\u0007')).toBe('invoicefdp.exe');
  expect(plainLine('\u2067\u200F')).toBe('');
  expect(plainLine('\u200D\uFE0F\u200C')).toBe('');
  expect(plainLine('Ada\u200D Love\u200Clace')).toBe('Ada Lovelace');
});
