import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutSentences, type Unspoken } from './sentences.ts';

function createCutter() {
  let unspoken: Unspoken = { rest: '' };
  function push(text: string, isEnd = false) {
    const cut = cutSentences(unspoken, text, isEnd);
    unspoken = cut.unspoken;
    return cut.pieces;
  }
  return { push, flush: () => push('', true) };
}

function pieces(...texts: string[]) {
  const cutter = createCutter();
  return [...texts.flatMap((text) => cutter.push(text)), ...cutter.flush()];
}

const cut = (...texts: string[]) => pieces(...texts).map(({ text }) => text);
/** As it is heard, however it arrives. */
const heard = (text: string) => {
  const whole = spoken(pieces(text));
  expect(spoken(pieces(...text.split('')))).toBe(whole);
  return whole;
};
const spoken = (all: { spoken: string }[]) =>
  all
    .map((piece) => piece.spoken)
    .filter(Boolean)
    .join(' ');

describe('sentences', () => {
  it('come as soon as they are complete', () => {
    const cutter = createCutter();
    const push = (text: string) => cutter.push(text).map((piece) => piece.text);
    expect(push('Your parcel is on its way')).toEqual([]);
    expect(push('. It')).toEqual(['Your parcel is on its way.']);
    expect(push(' arrives tomorrow! Anything else?')).toEqual([' It arrives tomorrow!']);
    expect(cutter.flush()).toEqual([{ text: ' Anything else?', spoken: 'Anything else?' }]);
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
    expect(cut('「はい。」Acmeです。')).toEqual(['「はい。」', 'Acmeです。']);
    expect(cut('आपका पार्सल कल आएगा। धन्यवाद')).toEqual(['आपका पार्सल कल आएगा।', ' धन्यवाद']);
    expect(
      Math.max(...cut('我们会尽快把您的包裹送到您家，'.repeat(20)).map(({ length }) => length)),
    ).toBeLessThan(81);
  });

  it.each([
    [
      'See [our page. It has all](https://example.com/a.b) and call us.',
      'See our page. It has all and call us.',
    ],
    [`Look at https://example.com/${'a.b/'.repeat(900)} now, please.`, 'Look at example.com now, please.'],
    [`It is [here](https://example.com/${'x'.repeat(5_000)}), and not there.`, 'It is here and not there.'],
    [`A dot: ![a dot](data:image/png;base64,${'AAAA'.repeat(2_000)}) was it.`, 'A dot: a dot was it.'],
    [
      `Run this:\n\`\`\`js\n${'let x = 1.0; // Yes. No!\n'.repeat(400)}\`\`\`\nand be happy.`,
      'Run this: and be happy.',
    ],
    ['It takes five days [1]. More is known [2, 3].', 'It takes five days. More is known.'],
  ])('%#: what is not spoken is left out, however long it is', (text, expected) => {
    expect(heard(text).replace(/ (?=[.,])/g, '')).toBe(expected);
  });

  it('never end within a character', () => {
    for (const piece of cut(`x${'😀'.repeat(500)}`)) expect(piece.isWellFormed()).toBe(true);
  });

  it('are cut somewhere if they do not end', () => {
    const endless = 'and so on, '.repeat(60);
    const all = cut(endless);
    expect(all.join('')).toBe(endless);
    expect(Math.max(...all.map(({ length }) => length))).toBeLessThanOrEqual(200);
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
