import { array, assert, constantFrom, integer, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { piecesOf } from './pieces.ts';

describe('pieces', () => {
  it('a passage that fits is one, under its headings', () => {
    expect(piecesOf(['Manual', 'Pump'], 'It hums.', 480)).toEqual(['Manual\nPump\nIt hums.']);
  });

  it('a longer one is cut at the ends of sentences, each under the innermost heading', () => {
    const content = 'The first sentence is here. The second one follows it. A third one ends it!';
    expect(piecesOf(['Manual', 'Pump'], content, 58)).toEqual([
      'Pump\nThe first sentence is here.',
      'Pump\nThe second one follows it. A third one ends it!',
    ]);
  });

  it('a sentence without an end is cut at a space', () => {
    expect(piecesOf([], 'one two three four five six', 12)).toEqual(['one two', 'three four', 'five six']);
  });

  it('nothing is lost, and nothing is longer than what is read', () => {
    const sentence = constantFrom(
      'A word. ',
      'Wörter!\n',
      '一二三。',
      'x'.repeat(70),
      ' ',
      'a b c ',
      '🐝🐝 ',
    );
    assert(
      property(
        array(string({ maxLength: 40 }), { maxLength: 2 }),
        array(sentence, { maxLength: 40 }),
        integer({ min: 20, max: 200 }),
        (headings, sentences, most) => {
          const content = sentences.join('');
          const pieces = piecesOf(headings, content, most);
          const squash = (text: string) => text.replaceAll(/\s+/g, '');
          for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(most);
          const heading = squash(headings.at(-1)?.slice(0, most / 4) ?? '');
          if ([...headings, content].join('\n').length <= most) return;
          const own = pieces.map((piece) => squash(piece).slice(heading.length)).join('');
          expect(own).toBe(squash(content));
          expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
        },
      ),
    );
  });
});
