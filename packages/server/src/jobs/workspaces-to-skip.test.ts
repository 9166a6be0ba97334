import { describe, expect, it } from 'vitest';
import { workspacesToSkip } from './workspaces-to-skip.ts';

function looks(running: Record<string, number>, mayHaveOthers = true): string[][] {
  return workspacesToSkip({ running: new Map(Object.entries(running)), perWorkspace: 4, mayHaveOthers });
}

describe('whose job is next', () => {
  it.each([
    ['nothing runs: none is skipped', {}, true, [[]]],
    ['one runs: others first, then its own', { a: 1 }, true, [['a'], []]],
    ['one runs and no other waits', { a: 3 }, false, [[]]],
    ['its share is full: others only', { a: 4 }, true, [['a']]],
    ['who has less comes before who has more', { a: 3, b: 1 }, true, [['a', 'b'], ['a'], []]],
    ['the same without others', { a: 3, b: 1 }, false, [['a'], []]],
    ['as much as each other', { a: 2, b: 2 }, true, [['a', 'b'], []]],
    ['one full, one not', { a: 4, b: 1 }, false, [['a']]],
    ['all full', { a: 4, b: 5 }, false, [['a', 'b']]],
  ])('%s', (_name, running, mayHaveOthers, expected) => {
    expect(looks(running, mayHaveOthers)).toEqual(expected);
  });
});
