import { describe, expect, it } from 'vitest';
import { judgementForm, readJudgement } from './judgement.ts';

const read = (written: unknown, facts: readonly string[]) =>
  readJudgement(judgementForm.check(written), facts);
const facts = ['It is late.', 'It is in Cologne.'];
const entries = [
  { number: 1, holds: true, explanation: 'It says "late".' },
  { number: 2, holds: false, explanation: 'No place is named.' },
];
const judged = [
  { fact: 'It is late.', holds: true, explanation: 'It says "late".' },
  { fact: 'It is in Cologne.', holds: false, explanation: 'No place is named.' },
];

describe('a judgement', () => {
  it.each([
    { facts: entries },
    entries,
    { facts: entries.toReversed() },
    { facts: entries.map((entry) => ({ ...entry, number: String(entry.number) })) },
    { facts: entries.map((entry) => ({ ...entry, holds: String(entry.holds) })) },
    { facts: [...entries, entries[0], { number: 3, holds: true }, 'x', null] },
  ])('is read however it is written: %j', (written) => {
    expect(read(written, facts)).toEqual(judged);
  });

  it.each([
    ['All is well.', 'The answer must be an object or an array.'],
    [{ facts: 'all' }, 'facts must be an array.'],
    [{ facts: entries.slice(0, 1) }, 'fact 2'],
    [{ facts: [{ number: 1, holds: 'mostly' }, entries[1]] }, 'fact 1'],
    [{ facts: [...entries, { number: 1, holds: false }] }, 'two things of fact 1'],
    [{ facts: [{ holds: true }, { holds: true }] }, 'fact 1'],
    [{ facts: [{ number: { valueOf: 1, toString: 1 }, holds: true }] }, 'fact 1'],
  ])('is refused when it leaves something open: %j', (written, problem) => {
    expect(() => read(written, facts)).toThrow(problem);
  });

  it('keeps explanations that can be stored', () => {
    const [first] = read([{ number: 1, holds: true, explanation: 'a\0b'.repeat(1000) }], ['x']);
    expect(first?.explanation).toMatch(/^(ab)+a?$/);
    expect(read([{ number: 1, holds: true }], ['x'])).toMatchObject([
      { explanation: 'The judge gave no explanation.' },
    ]);
  });
});
