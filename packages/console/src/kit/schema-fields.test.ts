import { describe, expect, it } from 'vitest';
import { type FieldSchema, groupsOf, kindOf, readable, shownValue, withField } from './schema-fields.ts';

const schema: FieldSchema = {
  type: 'object',
  properties: {
    url: { type: 'string', title: 'URL', 'x-group': 'Request' },
    auth_type: { type: 'string', enum: ['none', 'bearer'], default: 'none', 'x-group': 'Authentication' },
    bearer_token: {
      type: 'string',
      'x-secret': true,
      'x-group': 'Authentication',
      'x-show-when': { auth_type: ['bearer'] },
    },
    headers: { type: 'object', additionalProperties: { type: 'string' }, 'x-group': 'Request' },
  },
  required: ['url', 'bearer_token'],
};

describe('the fields of a schema', () => {
  it.each<[FieldSchema, string]>([
    [{ type: 'string' }, 'text'],
    [{ type: 'string', maxLength: 4000 }, 'long-text'],
    [{ type: 'string', maxLength: 4000, 'x-editor': 'template' }, 'text'],
    [{ type: 'string', 'x-secret': true }, 'secret'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'boolean' }, 'boolean'],
    [{ type: 'string', enum: ['a', 'b'] }, 'choice'],
    [{ type: 'object', additionalProperties: { type: ['string', 'number'] } }, 'map'],
    [{ type: 'array', items: { type: 'string' } }, 'list'],
    [{ type: 'array', items: { type: 'object' } }, 'json'],
    [{ type: 'object', properties: { a: { type: 'string' } } }, 'object'],
    [{ type: 'object' }, 'json'],
    [{ anyOf: [{ type: 'string' }] }, 'json'],
    [{}, 'json'],
  ])('%j is edited as %s', (field, kind) => {
    expect(kindOf(field)).toBe(kind);
  });

  it('are text if there are very many choices', () => {
    const choices = Array.from({ length: 5_000 }, (_, index) => `c${index}`);
    expect(kindOf({ type: 'string', enum: choices })).toBe('text');
  });

  it('of a schema by others never break the form', () => {
    const odd: unknown = {
      properties: {
        a: null,
        b: true,
        c: { title: {}, description: [], 'x-group': {}, 'x-show-when': { a: 5 }, enum: 'x', required: 5 },
        constructor: { type: 'object', properties: 7, additionalProperties: null, items: null },
      },
      required: 5,
    };
    const [group, ...others] = groupsOf(odd as FieldSchema, {});
    expect(others).toEqual([]);
    expect(group?.fields.map(({ name, title, kind }) => [name, title, kind])).toEqual([
      ['a', 'A', 'json'],
      ['b', 'B', 'json'],
      ['c', 'C', 'json'],
      ['constructor', 'Constructor', 'json'],
    ]);
    for (const none of [null, 5, [], { properties: null }])
      expect(groupsOf(none as unknown as FieldSchema, {})).toEqual([]);
  });

  it('of an object inside of an object are JSON', () => {
    expect(kindOf({ type: 'object', properties: { a: { type: 'string' } } }, 1)).toBe('json');
  });

  it('are grouped, and shown only where they apply', () => {
    const names = (value: Record<string, unknown>) =>
      groupsOf(schema, value).map(({ title, fields }) => [title, ...fields.map(({ name }) => name)]);
    expect(names({})).toEqual([
      ['Request', 'url', 'headers'],
      ['Authentication', 'auth_type'],
    ]);
    expect(names({ auth_type: 'bearer' }).at(1)).toEqual(['Authentication', 'auth_type', 'bearer_token']);
  });

  it('that do not apply are not sent', () => {
    expect(shownValue(schema, { url: 'x', auth_type: 'none', bearer_token: 'y' })).toEqual({
      url: 'x',
      auth_type: 'none',
    });
  });

  it('are removed when they become empty', () => {
    expect(withField({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 });
    expect(withField({ a: 1 }, 'a', null)).toEqual({ a: null });
  });

  it('have readable names', () => {
    expect(readable('bearer_token')).toBe('Bearer token');
    expect(readable('json')).toBe('JSON');
    expect(readable('GET')).toBe('GET');
    expect(readable('oauth2_client_credentials')).toBe('OAuth 2 client credentials');
  });
});
