import { expect, it } from 'vitest';
import { selectTree } from './process-entry.ts';

it('finds the group, descendants in other groups, and marked processes whose parents ended', () => {
  const entry = (pid: number, parent: number, group: number, isMarked = false) => ({
    pid,
    parent,
    group,
    isMarked,
  });
  const processes = [
    entry(1, 0, 1),
    entry(10, 5, 10),
    entry(11, 10, 10),
    entry(12, 1, 10),
    entry(14, 13, 14),
    entry(13, 11, 13),
    entry(20, 1, 20, true),
    entry(21, 20, 21),
    entry(30, 1, 30),
  ];
  expect(selectTree(processes, 10).toSorted((one, other) => one - other)).toEqual([
    10, 11, 12, 13, 14, 20, 21,
  ]);
  expect(selectTree(processes, undefined)).toEqual([20, 21]);
});
