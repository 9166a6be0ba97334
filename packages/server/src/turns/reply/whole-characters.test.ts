import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createWholeCharacters } from './whole-characters.ts';

it('never splits a pair and never loses text, however it is cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.nat(40)), (text, cuts) => {
      const characters = createWholeCharacters();
      const places = [...cuts.map((cut) => Math.min(cut, text.length)), 0, text.length].toSorted(
        (a, b) => a - b,
      );
      const pieces = places.slice(1).map((end, index) => characters.push(text.slice(places[index], end)));
      expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
      expect(pieces.join('') + characters.flush()).toBe(text.replaceAll('\0', ''));
    }),
  );
});

it('drops what cannot be stored', () => {
  const characters = createWholeCharacters();
  expect(characters.push('a\0b\udc00c')).toBe('ab\uFFFDc');
});

it('replaces a half that is never completed', () => {
  const characters = createWholeCharacters();
  expect(characters.push('a\ud83d') + characters.flush()).toBe('a\uFFFD');
});
