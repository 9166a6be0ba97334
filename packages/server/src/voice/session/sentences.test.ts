import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSentenceCutter } from './sentences.ts';

function cut(...texts: string[]): string[] {
  const cutter = createSentenceCutter();
  return [...texts.flatMap((text) => cutter.push(text)), ...cutter.flush()];
}

describe('sentences', () => {
  it('come as soon as they are complete', () => {
    const cutter = createSentenceCutter();
    expect(cutter.push('Your parcel is on its way')).toEqual([]);
    expect(cutter.push('. It')).toEqual(['Your parcel is on its way.']);
    expect(cutter.push(' arrives tomorrow! Anything else?')).toEqual([' It arrives tomorrow!']);
    expect(cutter.flush()).toEqual([' Anything else?']);
    expect(cutter.flush()).toEqual([]);
  });

  it('are not cut at abbreviations, numbers and short words', () => {
    expect(cut('Please ask Dr. Miller about it. ')).toEqual(['Please ask Dr. Miller about it.', ' ']);
    expect(cut('It costs 3.50 dollars, i.e. little money. Yes')).toHaveLength(2);
    expect(cut('Yes. That is fine with me. Bye')).toEqual(['Yes. That is fine with me.', ' Bye']);
    expect(cut('We open at 9. Then we talk.')).toHaveLength(1);
  });

  it('end at line breaks and in languages without spaces', () => {
    expect(cut('First of all\nSecondly')).toEqual(['First of all\n', 'Secondly']);
    expect(cut('您好。请问有什么可以帮您？')).toEqual(['您好。', '请问有什么可以帮您？']);
  });

  it('are cut somewhere if they do not end', () => {
    const endless = 'and so on, '.repeat(60);
    const pieces = cut(endless);
    expect(pieces.join('')).toBe(endless);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(200);
    expect(cut('x'.repeat(500)).map(({ length }) => length)).toEqual([200, 200, 100]);
  });

  it('lose and repeat nothing, however a reply arrives', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
        expect(cut(...texts).join('')).toBe(texts.join(''));
      }),
    );
  });
});
