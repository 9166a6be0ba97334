import { expect, it } from 'vitest';
import { type FieldSchema, kindOf } from './schema-fields.ts';
import { fittingKind } from './schema-fit.ts';
import { UnreadableJson } from './unreadable-json.ts';

const text: FieldSchema = { type: 'string' };
const choice: FieldSchema = { enum: ['a', 'b'] };
const list: FieldSchema = { type: 'array', items: { type: 'number' } };
const map: FieldSchema = { type: 'object', additionalProperties: { type: ['string', 'number'] } };
const object: FieldSchema = { type: 'object', properties: { a: {} } };

it.each<[FieldSchema, unknown, string]>([
  [text, undefined, 'text'],
  [text, 'one line', 'text'],
  [text, 'two\nlines', 'long-text'],
  [text, 12, 'json'],
  [{ type: 'integer' }, 12, 'number'],
  [{ type: 'integer' }, '12', 'json'],
  [{ type: 'boolean' }, 'yes', 'json'],
  [choice, 'a', 'choice'],
  [choice, 'c', 'json'],
  // What is being typed stays in its field.
  [list, [1, '-'], 'list'],
  [list, [1, { a: 1 }], 'json'],
  [map, { limit: '5' }, 'map'],
  [map, { limit: 5 }, 'json'],
  [object, { a: 1 }, 'object'],
  [object, [1], 'json'],
  [object, new UnreadableJson('{', 'is not valid JSON'), 'json'],
])('%j with %j is edited as %s', (schema, value, kind) => {
  expect(fittingKind({ kind: kindOf(schema), schema }, value)).toBe(kind);
});
