import { expect, it } from 'vitest';
import { visibleText } from './visible-text.ts';

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
