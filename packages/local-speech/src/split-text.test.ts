import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitText } from './split-text.ts';

describe('splitting a text', () => {
  it('prefers sentences, then parts of them, then words', () => {
    expect(splitText('One two. Three four. Five.', 22)).toEqual(['One two. Three four.', 'Five.']);
    expect(splitText('One two, three four, five six', 22)).toEqual(['One two, three four,', 'five six']);
    expect(splitText('one two three four five', 10)).toEqual(['one two', 'three four', 'five']);
    expect(splitText('a'.repeat(25), 10)).toEqual(['a'.repeat(10), 'a'.repeat(10), 'a'.repeat(5)]);
    expect(splitText('3.14 is pi', 10)).toEqual(['3.14 is pi']);
    expect(splitText('😀😀😀', 3)).toEqual(['😀', '😀', '😀']);
    expect(splitText('  ', 10)).toEqual([]);
  });

  it('loses nothing but space, and no piece is too long', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z.,!? ]{0,200}$/), fc.integer({ min: 2, max: 40 }), (text, max) => {
        const pieces = splitText(text, max);
        expect(pieces.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(max);
          expect(piece).not.toBe('');
        }
      }),
    );
  });
});
