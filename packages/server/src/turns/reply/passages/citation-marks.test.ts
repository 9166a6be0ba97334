import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCitationMarks } from './citation-marks.ts';

const passage = (number: number) => ({
  number,
  knowledge_id: `k${number}`,
  title: `Title ${number}`,
  heading_path: ['Heading'],
  source_url: null,
  quote: `Quote ${number}`,
  score: 1 / number,
});
const passages = [passage(1), passage(2), passage(3), passage(12)];

function read(pieces: string[], given = passages) {
  const marks = createCitationMarks(given);
  const text = pieces.map((piece) => marks.push(piece)).join('') + marks.flush();
  return { text, cited: marks.cited().map((citation) => citation.knowledge_id) };
}

describe('marks become places in the list of citations', () => {
  it.each([
    ['No marks.', 'No marks.', []],
    ['One [k1].', 'One [1].', ['k1']],
    ['First [k3], then [k1], then [k3].', 'First [1], then [2], then [1].', ['k3', 'k1']],
    ['Two together [k2, k12].', 'Two together [1, 2].', ['k2', 'k12']],
    ['Two beside [k2][k1].', 'Two beside [1][2].', ['k2', 'k1']],
    ['Twice the same [k2,k2].', 'Twice the same [1].', ['k2']],
    ['One that was not given[k9].', 'One that was not given.', []],
    ['Half known [k1, k9].', 'Half known [1].', ['k1']],
    ['An end [k1', 'An end [k1', []],
  ])('%s', (text, expected, cited) => {
    expect(read([text])).toEqual({ text: expected, cited });
  });

  it.each([
    'items[2] = items[1]',
    '[1, 2, 3]',
    'A year [2024] and a note [1].',
    '[kitchen] and [k] and [k1 k2] and [K1] and [k1234]',
    'A list [a] and an end [',
  ])('and all other text stays as it is: %s', (text) => {
    expect(read([text])).toEqual({ text, cited: [] });
  });

  it('however the text is cut', () => {
    const text = 'A [k3] b [k12, k1] c [] d [2] e [k9] f [k2][k3] g [k1';
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: text.length })), (cuts) => {
        const places = [0, ...cuts.toSorted((one, other) => one - other), text.length];
        const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
        expect(read(pieces)).toEqual(read([text]));
      }),
    );
  });

  it('as citations, without what only the model was shown', () => {
    const marks = createCitationMarks(passages);
    marks.push('[k1]');
    expect(marks.cited()).toEqual([
      { knowledge_id: 'k1', title: 'Title 1', source_url: null, quote: 'Quote 1', score: 1 },
    ]);
  });

  it('and without passages nothing is changed or held back', () => {
    const marks = createCitationMarks([]);
    expect(marks.push('see [k1')).toBe('see [k1');
    expect(marks.push('].')).toBe('].');
    expect(marks.cited()).toEqual([]);
  });

  it.each(['[1', '[k1234', '[a', '[k1;', '[ k1', '[k1 '])('without holding back %s', (text) => {
    expect(createCitationMarks(passages).push(text)).toBe(text);
  });
});
