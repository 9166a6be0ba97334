import { describe, expect, it } from 'vitest';
import { readJudgement } from './judgement.ts';

const facts = ['It is late.', 'It is in Cologne.'];
const entries = [
  { number: 1, holds: true, explanation: 'It says "late".' },
  { number: 2, holds: false, explanation: 'No place is named.' },
];
const judged = {
  kind: 'judged',
  facts: [
    { fact: 'It is late.', holds: true, explanation: 'It says "late".' },
    { fact: 'It is in Cologne.', holds: false, explanation: 'No place is named.' },
  ],
};

describe('a judgement', () => {
  it.each([
    JSON.stringify({ facts: entries }),
    JSON.stringify(entries),
    `\`\`\`json\n${JSON.stringify({ facts: entries.toReversed() })}\n\`\`\``,
    `Here it is: ${JSON.stringify({ facts: entries })} I hope that helps.`,
    JSON.stringify({ facts: entries.map((entry) => ({ ...entry, number: String(entry.number) })) }),
    JSON.stringify({ facts: entries.map((entry) => ({ ...entry, holds: String(entry.holds) })) }),
    JSON.stringify({ facts: [...entries, { number: 3, holds: true }, 'x', null] }),
  ])('is read however it is wrapped: %s', (text) => {
    expect(readJudgement(text, facts)).toEqual(judged);
  });

  it.each([
    ['', 'not a JSON object'],
    ['All is well.', 'not a JSON object'],
    ['{"facts": "all"}', 'not a JSON object'],
    [JSON.stringify({ facts: entries.slice(0, 1) }), 'fact 2'],
    [JSON.stringify({ facts: [{ number: 1, holds: 'mostly' }, entries[1]] }), 'fact 1'],
    [JSON.stringify({ facts: [...entries, { number: 1, holds: false }] }), 'two things of fact 1'],
    [JSON.stringify({ facts: [{ holds: true }, { holds: true }] }), 'fact 1'],
  ])('is unclear when it leaves something open: %s', (text, problem) => {
    expect(readJudgement(text, facts)).toEqual({
      kind: 'unclear',
      problem: expect.stringContaining(problem),
    });
  });

  it('keeps explanations that can be stored', () => {
    const text = JSON.stringify({ facts: [{ number: 1, holds: true, explanation: 'a\0b'.repeat(1000) }] });
    const read = readJudgement(text, ['x']);
    const [first] = read.kind === 'judged' ? read.facts : [];
    expect(first?.explanation).toMatch(/^(ab)+a?$/);
    expect(readJudgement('{"facts":[{"number":1,"holds":true}]}', ['x'])).toMatchObject({
      facts: [{ explanation: 'The judge gave no explanation.' }],
    });
  });
});
