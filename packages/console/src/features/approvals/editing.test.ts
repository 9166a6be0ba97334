import { expect, it } from 'vitest';
import { fitsFields } from './editing.ts';

const schema = {
  type: 'object',
  properties: {
    note: { type: 'string' },
    amount: { type: 'number' },
    to: { type: 'object', properties: { city: { type: 'string' } } },
    tags: { type: 'array', items: { type: 'string' } },
    sly: { type: 'string', 'x-show-when': { note: ['never'] } },
    token: { type: 'string', 'x-secret': true },
  },
};

it.each([
  ['known arguments', { note: 'x\ny', amount: 1, to: { city: 'Bonn' }, tags: ['a'] }, true],
  ['an argument that the schema does not name', { note: 'x', other: 1 }, false],
  ['one inside of an object', { to: { city: 'Bonn', bcc: 'x' } }, false],
  ['an argument with the name of a method', { toString: 1 }, false],
  ['a character that a field would not show', { note: 'a\u202Eb' }, false],
  ['line ends that a field would change', { note: 'a\r\nb' }, false],
  ['lines that a short field would join', { to: { city: 'a\nb' } }, false],
  ['spaces that a list would drop', { tags: [' a'] }, false],
  ['a field that the schema hides', { sly: 'x' }, false],
  ['a field that the schema calls a secret', { token: 'x' }, false],
  ['a value of another type', { amount: '1' }, false],
])('as fields: %s', (_name, given, fits) => {
  expect(fitsFields({ arguments: given, arguments_schema: schema })).toBe(fits);
});

it('edits arguments without a schema as JSON', () => {
  expect(fitsFields({ arguments: { a: 1 }, arguments_schema: { type: 'object' } })).toBe(false);
});
