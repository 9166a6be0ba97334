import { expect, it } from 'vitest';
import { uncorrected } from './uncorrected.ts';

const checked = { name: '', tags: 'a, b', turns: ['x', ''], nested: { url: 'ftp:' }, 'sources.0': '' };

it.each([
  ['name', { ...checked, name: 'Ada' }],
  ['tags.1', { ...checked, tags: 'a, c' }],
  ['turns.1', { ...checked, turns: ['x', 'y'] }],
  ['nested.url', { ...checked, nested: { url: 'https:' } }],
  ['nested.added', { ...checked, nested: { ...checked.nested, added: 1 } }],
  ['sources.0', { ...checked, 'sources.0': 'a' }],
  ['added', { ...checked, added: 1 }],
  ['', { ...checked, added: 1 }],
])('drops a fault at %j once that was changed', (path, now) => {
  const faults = new Map([[path, 'is wrong']]);
  expect([...uncorrected(faults, checked, now)]).toEqual([]);
  expect(uncorrected(faults, checked, structuredClone(checked))).toEqual(faults);
});

it('keeps the faults of everything else, also of what the form does not have', () => {
  const paths = ['name', 'tags.1', 'turns.1', 'nested.url', 'elsewhere.0'];
  const faults = new Map(paths.map((path) => [path, 'is wrong']));
  expect(uncorrected(faults, checked, { ...checked, turns: ['y', ''], added: 1 })).toEqual(faults);
});
