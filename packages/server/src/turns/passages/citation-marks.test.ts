import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCitationMarks } from './citation-marks.ts';

const passage = (number: number) => ({
  number,
  knowledge_id: `k${number}`,
  title: `Title ${number}`,
  source_url: null,
  quote: `Quote ${number}`,
  score: 1 / number,
});
const passages = [passage(1), passage(2), passage(3), passage(12)];

function read(pieces: string[], given = passages) {
  const marks = createCitationMarks(given);
  const text = pieces.map((piece) => marks.push(piece)).join('') + marks.rest();
  return { text, cited: marks.cited().map((citation) => citation.knowledge_id) };
}

describe('marks become places in the list of citations', () => {
  it.each([
    ['No marks.', 'No marks.', []],
    ['One [1].', 'One [1].', ['k1']],
    ['First [3], then [1], then [3].', 'First [1], then [2], then [1].', ['k3', 'k1']],
    ['Two together [2, 12].', 'Two together [1, 2].', ['k2', 'k12']],
    ['Two beside [2][1].', 'Two beside [1][2].', ['k2', 'k1']],
    ['[ 2 ] spaced', '[1] spaced', ['k2']],
    ['A year [2024] and one nobody gave [9].', 'A year [2024] and one nobody gave [9].', []],
    ['Half known [1, 9].', 'Half known [1, 9].', []],
    ['A list [a] and an end [', 'A list [a] and an end [', []],
    ['An end [1', 'An end [1', []],
  ])('%s', (text, expected, cited) => {
    expect(read([text])).toEqual({ text: expected, cited });
  });

  it('however the text is cut', () => {
    const text = 'A [3] b [12, 1] c [] d [2024] e [1';
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: text.length })), (cuts) => {
        const places = [0, ...cuts.toSorted((one, other) => one - other), text.length];
        const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
        expect(read(pieces)).toEqual(read([text]));
      }),
    );
  });

  it('and without passages nothing is changed or held back', () => {
    const marks = createCitationMarks([]);
    expect(marks.push('see [1')).toBe('see [1');
    expect(marks.push('].')).toBe('].');
    expect(marks.cited()).toEqual([]);
  });

  it('without holding back much of a text that only begins like a mark', () => {
    const marks = createCitationMarks(passages);
    const long = `[${'1'.repeat(100)}`;
    expect(marks.push(long)).toBe(long);
  });
});
