import { describe, expect, it } from 'vitest';
import type { FormValue } from '../../../kit/schema-fields.ts';
import { missingParameters } from '../tool-types.ts';
import { readParameters, withParameter, writeParameters } from './parameters.ts';

const schema = {
  type: 'object',
  properties: {
    number: { type: 'string', description: 'Of the order.', minLength: 1 },
    state: { type: 'string', enum: ['open', 'closed'] },
    labels: { type: 'array', items: { type: 'string' } },
  },
  required: ['number'],
  additionalProperties: false,
};

describe('what the model fills in', () => {
  it('is read from a schema and written back as it was', () => {
    const parameters = readParameters(schema) ?? [];
    expect(parameters.map(({ name, type, isRequired }) => [name, type, isRequired])).toEqual([
      ['number', 'string', true],
      ['state', 'string', false],
      ['labels', 'other', false],
    ]);
    expect(writeParameters(parameters)).toEqual(schema);
  });

  it('starts empty', () => {
    expect(readParameters(undefined)).toEqual([]);
    expect(writeParameters([])).toEqual({ type: 'object', properties: {}, additionalProperties: false });
  });

  it('has each name once', () => {
    const [first] = readParameters({ properties: { a: { type: 'string' } }, required: ['a'] }) ?? [];
    if (!first) throw new Error('There is no row.');
    const written = writeParameters([first, { ...first, description: 'The last one.' }]);
    expect(written).toMatchObject({ properties: { a: { description: 'The last one.' } }, required: ['a'] });
  });

  it('stays JSON where rows cannot show it', () => {
    expect(readParameters({ ...schema, oneOf: [] })).toBeUndefined();
    expect(readParameters({ type: 'string' })).toBeUndefined();
  });

  it.each([
    5,
    [],
    { properties: null },
    { properties: { a: null } },
    { properties: { a: true } },
    { properties: { a: { description: 7 } } },
    { properties: { a: {} }, required: true },
  ])('stays JSON while the schema is being typed: %j', (typed: unknown) => {
    expect(readParameters(typed as typeof schema)).toBeUndefined();
  });

  it('misses what the request names and no parameter provides', () => {
    const request = {
      url: 'https://shop.example.com/{{number}}',
      query: { lang: '{{ lang }}' },
      body: { note: 'for {{number}}' },
    };
    const missing = (configuration: FormValue) =>
      ['url', 'query', 'body', 'method'].map((field) => missingParameters(configuration, field));
    expect(missing(request)).toEqual([['number'], ['lang'], ['number'], []]);
    const parameters = withParameter(schema, 'lang');
    expect(missing({ ...request, parameters })).toEqual([[], [], [], []]);
    expect(readParameters(parameters)?.at(-1)).toMatchObject({
      name: 'lang',
      type: 'string',
      isRequired: true,
    });
    expect(writeParameters(readParameters(withParameter(undefined, 'a')) ?? [])).toEqual(
      withParameter(undefined, 'a'),
    );
  });
});
