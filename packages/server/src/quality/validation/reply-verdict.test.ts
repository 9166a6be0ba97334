import { describe, expect, it } from 'vitest';
import { readVerification, validationQuestion, verificationForm } from './reply-verdict.ts';

describe('a verdict', () => {
  it('is read from the list of claims alone', () => {
    expect(readVerification({ unsupported_claims: [] })).toEqual({
      verdict: 'supported',
      unsupportedClaims: [],
    });
    expect(readVerification({ unsupported_claims: ['It ships today.', ' '] })).toEqual({
      verdict: 'unsupported',
      unsupportedClaims: ['It ships today.'],
    });
  });

  it.each(['All fine.', {}, { unsupported_claims: 'none' }, { unsupported_claims: [1] }, []])(
    'is not guessed from %j',
    (answer) => expect(() => verificationForm.check(answer)).toThrow(),
  );

  it('is bounded and can be stored', () => {
    const claims = [
      'a\0b',
      `${'x'.repeat(499)}🙂`,
      ...Array.from({ length: 50 }, (_, index) => `claim ${index}`),
    ];
    const read = readVerification({ unsupported_claims: claims }).unsupportedClaims;
    expect(read).toHaveLength(20);
    expect(read[0]).toBe('ab');
    expect(read[1]).toHaveLength(500);
    expect(read[1]?.isWellFormed()).toBe(true);
  });
});

describe('the question', () => {
  it('shows the sources, the question and the answer', () => {
    const { prompt } = validationQuestion(
      { contextWindow: 100_000 },
      { question: 'When?', answer: 'Today.', sources: [{ name: 'orders "x"', text: 'Tomorrow.' }] },
    );
    for (const part of ['orders \\"x\\"', 'Tomorrow.', '<question>\nWhen?', '<answer>\nToday.']) {
      expect(prompt).toContain(part);
    }
  });

  it('fits the smallest window, however much there is', () => {
    const long = 'word '.repeat(50_000);
    const sources = Array.from({ length: 5 }, (_, index) => ({ name: `source ${index}`, text: long }));
    const { prompt } = validationQuestion(
      { contextWindow: 8_192 },
      { question: long, answer: long, sources },
    );
    // A character may be a whole token.
    expect(prompt.length).toBeLessThan(8_192);
  });
});
