import { describe, expect, it } from 'vitest';
import { formatJsonPath, isWritable, valueAt } from './json-path.ts';
import { quoted } from './json-tree.tsx';

describe('a JSON path', () => {
  it.each<[(string | number)[], string]>([
    [[], '$'],
    [['order', 'place'], 'order.place'],
    [['data', 'items', 0, 'name'], 'data.items[0].name'],
    [[0, 'id'], '[0].id'],
    [['a b', 'c'], "['a b'].c"],
    [["it's"], '["it\'s"]'],
    [['x-y', '1st'], "x-y['1st']"],
  ])('%j is written as %s', (path, text) => {
    expect(formatJsonPath(path)).toBe(text);
  });

  it('can mean every entry of a list', () => {
    expect(formatJsonPath(['items', 3, 'name'], { everyEntry: true })).toBe('items[*].name');
  });

  it('leads to a value, or to nothing', () => {
    const document = { items: [{ name: 'tea' }] };
    expect(valueAt(document, [])).toBe(document);
    expect(valueAt(document, ['items', 0, 'name'])).toBe('tea');
    expect(valueAt(document, ['items', 1, 'name'])).toBeUndefined();
    expect(valueAt(document, ['constructor'])).toBeUndefined();
  });

  it('cannot always be written', () => {
    expect(isWritable(['a', 0, 'b c'])).toBe(true);
    expect(isWritable(['a]b'])).toBe(false);
    expect(isWritable([`'"`])).toBe(false);
  });
});

it('shows a text with its own lines, and nothing else as a line', () => {
  expect(quoted('one\ntwo "x" C:\\new')).toBe('"one\ntwo \\"x\\" C:\\\\new"');
});
