import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stem } from './stem.ts';
import { wordsOf } from './words.ts';

describe('the stemmer', () => {
  // From Porter's paper and the vocabulary that he published with it.
  it.each([
    ['caresses', 'caress'],
    ['ponies', 'poni'],
    ['ties', 'ti'],
    ['cats', 'cat'],
    ['feed', 'feed'],
    ['agreed', 'agre'],
    ['plastered', 'plaster'],
    ['bled', 'bled'],
    ['motoring', 'motor'],
    ['sing', 'sing'],
    ['conflated', 'conflat'],
    ['troubled', 'troubl'],
    ['sized', 'size'],
    ['hopping', 'hop'],
    ['falling', 'fall'],
    ['hissing', 'hiss'],
    ['filing', 'file'],
    ['happy', 'happi'],
    ['sky', 'sky'],
    ['relational', 'relat'],
    ['conditional', 'condit'],
    ['rational', 'ration'],
    ['valency', 'valenc'],
    ['digitizer', 'digit'],
    ['operator', 'oper'],
    ['feudalism', 'feudal'],
    ['hopefulness', 'hope'],
    ['formality', 'formal'],
    ['triplicate', 'triplic'],
    ['electrical', 'electr'],
    ['goodness', 'good'],
    ['revival', 'reviv'],
    ['adjustment', 'adjust'],
    ['adoption', 'adopt'],
    ['effective', 'effect'],
    ['probate', 'probat'],
    ['rate', 'rate'],
    ['controlling', 'control'],
    ['rolling', 'roll'],
    ['generalizations', 'gener'],
    // Not by the rules that were added to the paper: stored terms were made without them.
    ['technologies', 'technologi'],
    ['possibly', 'possibli'],
    ['probably', 'probabl'],
  ])('%s is %s', (word, expected) => expect(stem(word)).toBe(expected));

  it('leaves other alphabets and numbers alone', () => {
    expect(['привет', 'größe', '4711', 'x9s'].map(stem)).toEqual(['привет', 'größe', '4711', 'x9s']);
  });
});

describe('words', () => {
  it('are the same in small letters, without accents, without endings', () => {
    expect(wordsOf('Refunding the CAFÉS')).toEqual(wordsOf('refunds cafe'));
  });

  it('leave out what only holds a sentence together', () => {
    expect(wordsOf('How do I get the one that you have?')).toEqual(['on']);
  });

  it('find a part number however it is written', () => {
    const written = new Set(wordsOf('Error E-4711, firmware 5.2.0'));
    for (const asked of ['E4711', 'e-4711', '4711', '5.2.0']) {
      expect(wordsOf(asked).some((word) => written.has(word))).toBe(true);
    }
    expect(wordsOf('E-4711')).toContain('e4711');
    expect(wordsOf('1,500 euros')).toContain('1500');
  });

  it('lose the apostrophe of a possessive', () => {
    expect(wordsOf("the company's")).toEqual(wordsOf('company'));
    expect(wordsOf('the company’s')).toEqual(wordsOf('company'));
  });

  it('are pairs of characters where a script has no spaces', () => {
    expect(wordsOf('日本語の本')).toEqual(['日本', '本語', '語の', 'の本']);
    expect(wordsOf('本')).toEqual(['本']);
    expect(wordsOf('返品 policy')).toEqual(['返品', 'polici']);
  });

  it('are never empty or too long, whatever the text', () => {
    assert(
      property(string({ unit: 'binary', maxLength: 300 }), (text) => {
        for (const word of wordsOf(text)) expect(word.length).toBeGreaterThan(0);
        for (const word of wordsOf(text)) expect(word.length).toBeLessThanOrEqual(64);
      }),
    );
  });

  it('are cut before anything is worked out for them', () => {
    const seen: number[] = [];
    wordsOf(`${'xyzzing'.repeat(50_000)} refund`, (word) => {
      seen.push(word.length);
      return word;
    });
    expect(seen).toEqual([64, 6]);
  });
});
