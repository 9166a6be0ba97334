import { expect, it } from 'vitest';
import { decideCase } from './decide-case.ts';

const scenario = { must_call: ['find'], must_not_call: ['pay'] };
const found = { name: 'find', fault: null };
const holds = { fact: 'It is late.', holds: true, explanation: 'It says so.' };

it('passes when everything is as expected', () => {
  expect(decideCase(scenario, { calls: [found, found], facts: [holds] })).toEqual({
    status: 'passed',
    facts: [holds],
    reasons: [],
  });
  expect(decideCase({ must_call: [], must_not_call: [] }, { calls: [found], facts: [] }).status).toBe(
    'passed',
  );
});

it('fails with every reason at once', () => {
  const missing = { fact: 'It is red.', holds: false, explanation: 'No colour is named.' };
  const calls = [
    { name: 'pay', fault: null },
    { name: 'pay', fault: 'The arguments do not fit.' },
  ];
  expect(decideCase(scenario, { calls, facts: [holds, missing] })).toEqual({
    status: 'failed',
    facts: [holds, missing],
    reasons: [
      { kind: 'not_called', function: 'find', message: 'find was not called.' },
      { kind: 'called', function: 'pay', message: 'pay was called 2 times.' },
      { kind: 'fact_missing', fact: 'It is red.', message: 'No colour is named.' },
    ],
  });
});

it('does not count a call that could not run as made', () => {
  const calls = [{ name: 'find', fault: 'The arguments do not fit: number is required' }];
  expect(decideCase(scenario, { calls, facts: [] })).toMatchObject({
    status: 'failed',
    reasons: [{ kind: 'not_called', message: expect.stringContaining('number is required') }],
  });
});

it('is an error when something could not be looked at, never a pass', () => {
  const problem = { code: 'MODEL_UNAVAILABLE', message: 'The model did not answer.' };
  expect(decideCase(scenario, { calls: [found], facts: [], problem })).toEqual({
    status: 'error',
    facts: [],
    reasons: [{ kind: 'error', ...problem }],
  });
});
