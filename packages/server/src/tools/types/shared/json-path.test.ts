import { describe, expect, it } from 'vitest';
import { parseJsonPath, readJsonPath } from './json-path.ts';

const answer = {
  data: { items: [{ id: 1, tags: ['a', 'b'] }, { id: 2, tags: ['c'] }, { name: 'x' }], 'a b': { "it's": 5 } },
  $top: true,
};

const read = (path: string, value: unknown = answer) => {
  const steps = parseJsonPath(path);
  return steps && readJsonPath(value, steps);
};

describe('the path into an answer', () => {
  it.each([
    ['data.items[0].id', 1],
    ['$.data.items[-1].name', 'x'],
    ['data.items[*].id', [1, 2]],
    ['data.items[*].tags[*]', ['a', 'b', 'c']],
    ["data['a b']", { "it's": 5 }],
    [`data["a b"]["it's"]`, 5],
    ['$top', true],
    ['$', answer],
    ['', answer],
    ['data.nothing', undefined],
    ['data.items[9]', undefined],
    ['data.items.length', undefined],
    ['constructor', undefined],
    ['__proto__', undefined],
  ])('%s', (path, expected) => {
    expect(read(path)).toEqual(expected);
  });

  it('starts in a list', () => {
    expect(read('[1].a', [0, { a: 2 }])).toBe(2);
    expect(read('$[*]', [1, 2])).toEqual([1, 2]);
  });

  it.each(['a..b', 'a[', 'a[?(@.x)]', 'a[(1)]', '.', 'a b', 'a[0', '$..x', 'a[0]b', 'a[1:2]'])(
    'cannot read %s',
    (path) => {
      expect(parseJsonPath(path)).toBeUndefined();
    },
  );
});
