import { expect, it } from 'vitest';
import { changedArguments, differenceInOneLine, inOneLine } from './changed-arguments.ts';

it('names every argument that was changed, added or removed', () => {
  const before = { order: 17, amount: 120, to: { city: 'Bonn', zip: '1' }, items: ['a', 'b'] };
  const after = { order: 17, amount: 20, to: { city: 'Bonn' }, items: ['a', 'c'], note: 'x' };
  expect(changedArguments(before, after)).toEqual([
    { path: 'amount', before: 120, after: 20 },
    { path: 'to.zip', before: '1', after: undefined },
    { path: 'items[1]', before: 'b', after: 'c' },
    { path: 'note', before: undefined, after: 'x' },
  ]);
  expect(changedArguments(before, before)).toEqual([]);
});

it('shows values in one line', () => {
  const values = [120, '1001', ' 1001', '', 'a\nb', undefined, { a: '1' }];
  expect(values.map((value) => inOneLine(value))).toEqual([
    '120',
    '1001',
    '" 1001"',
    '""',
    '"a\\nb"',
    'nothing',
    '{"a":"1"}',
  ]);
  expect(inOneLine('x'.repeat(100), 10)).toBe('xxxxxxxxxx…');
});

it('shows where long values differ', () => {
  const start = 'x'.repeat(1_000);
  const [before, after] = differenceInOneLine(`${start} to Ann`, `${start} to Bob`, 40);
  expect(before).toMatch(/^…x+ to Ann$/);
  expect(after).toMatch(/^…x+ to Bob$/);
  expect(differenceInOneLine(120, 20)).toEqual(['120', '20']);
  expect(differenceInOneLine(120, '120')).toEqual(['120', '"120"']);
});
