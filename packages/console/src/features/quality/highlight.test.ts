import { describe, expect, it } from 'vitest';
import { highlightClaims } from './highlight.ts';

const answer = 'Within 30 days [1]. We pay for the parcel, always.';
const marked = (claims: string[]) =>
  highlightClaims(answer, claims).pieces.flatMap(({ text, isUnsupported }) => (isUnsupported ? [text] : []));

describe('an unsupported claim', () => {
  it('is found in the answer, whatever its case and punctuation', () => {
    expect(marked(['we pay for the parcel always.'])).toEqual(['We pay for the parcel, always']);
    expect(marked(['The shop says: we pay for the parcel'])).toEqual(['We pay for the parcel']);
  });

  it('is reported beside the answer if it is not in it', () => {
    expect(highlightClaims(answer, ['Shipping is free.'])).toEqual({
      pieces: [{ text: answer, isUnsupported: false }],
      elsewhere: ['Shipping is free.'],
    });
  });

  it('is found quickly, however often its words are repeated', () => {
    const long = 'la '.repeat(1300);
    const before = process.cpuUsage();
    expect(highlightClaims(long, [long, long]).elsewhere).toEqual([]);
    // In processor time, which other work on the machine does not change.
    expect(process.cpuUsage(before).user / 1_000_000).toBeLessThan(2);
  });

  it('is marked once where claims overlap', () => {
    expect(marked(['We pay for the parcel', 'pay for the parcel, always'])).toEqual([
      'We pay for the parcel, always',
    ]);
    expect(
      highlightClaims(answer, ['30 days'])
        .pieces.map(({ text }) => text)
        .join(''),
    ).toBe(answer);
    expect(highlightClaims('', ['x'])).toEqual({ pieces: [], elsewhere: ['x'] });
  });
});
