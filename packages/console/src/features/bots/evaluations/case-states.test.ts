import type { CaseStatus } from '@svc/contract/evaluations';
import { expect, it } from 'vitest';
import { compareEvaluations, progressOf } from './case-states.ts';

const outcomes = (statuses: Record<string, CaseStatus>) => ({
  outcomes: Object.entries(statuses).map(([id, status]) => ({ scenario_id: id, status })),
});

it('shows what got worse first', () => {
  const before = outcomes({
    same: 'passed',
    worse: 'passed',
    better: 'error',
    bad: 'failed',
    gone: 'passed',
  });
  const after = outcomes({ same: 'passed', worse: 'error', better: 'passed', bad: 'failed', new: 'passed' });
  expect(compareEvaluations(before, after).map(({ scenarioId, change }) => [scenarioId, change])).toEqual([
    ['worse', 'newly_failing'],
    ['bad', 'still_failing'],
    ['better', 'newly_passing'],
    ['new', 'only_one'],
    ['gone', 'only_one'],
    ['same', 'unchanged'],
  ]);
});

it('counts what is decided', () => {
  const counts = { total: 8, passed: 4, failed: 1, error: 0, skipped: 0, pending: 3 };
  expect(progressOf({ counts })).toBe('5 of 8');
});
