import { expect, it } from 'vitest';
import { changeOf, comparisonOf } from './compare.ts';

it.each([
  ['passed', undefined, 'new'],
  ['failed', undefined, 'new'],
  ['error', undefined, 'new'],
  ['passed', 'passed', 'unchanged'],
  ['passed', 'failed', 'newly_passing'],
  ['passed', 'error', 'newly_passing'],
  ['failed', 'passed', 'newly_failing'],
  ['error', 'passed', 'newly_failing'],
  ['failed', 'failed', 'still_failing'],
  ['error', 'failed', 'still_failing'],
  ['failed', 'error', 'still_failing'],
  ['pending', 'passed', null],
  ['running', undefined, null],
  ['skipped', 'passed', null],
] as const)('%s after %s is %s', (now, before, change) => {
  expect(changeOf(now, before)).toBe(change);
});

it('puts every decided scenario into one list', () => {
  const cases = [
    { scenario_id: 'a', change: 'new' as const },
    { scenario_id: 'b', change: null },
    { scenario_id: 'c', change: 'new' as const },
    { scenario_id: 'd', change: 'newly_failing' as const },
  ];
  expect(comparisonOf(cases)).toEqual({
    newly_failing: ['d'],
    newly_passing: [],
    still_failing: [],
    new: ['a', 'c'],
    unchanged: [],
  });
});
