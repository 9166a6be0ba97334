import { ApiError } from '@svc/client/api-error';
import { describe, expect, it } from 'vitest';
import { errorsBelow, fieldErrors, findFaults } from './schema-faults.ts';
import type { FieldSchema } from './schema-fields.ts';
import { jsonText, readJson, UnreadableJson } from './unreadable-json.ts';

const schema: FieldSchema = {
  type: 'object',
  properties: {
    url: { type: 'string' },
    auth_type: { type: 'string', enum: ['none', 'bearer'], default: 'none' },
    bearer_token: { type: 'string', 'x-secret': true, 'x-show-when': { auth_type: ['bearer'] } },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
  },
  required: ['url', 'bearer_token'],
};

describe('what is wrong with a form', () => {
  it('comes from the service, by field', () => {
    const details = [
      { path: 'configuration.url', message: 'is required' },
      { path: 'configuration.headers.accept', message: 'must be a string' },
      { path: 'name', message: 'is required' },
    ];
    const error = new ApiError({ status: 400, code: 'VALIDATION_FAILED', message: 'x', details });
    const errors = fieldErrors(error, 'configuration');
    expect([...errors]).toEqual([
      ['url', 'is required'],
      ['headers.accept', 'must be a string'],
    ]);
    expect(errorsBelow(errors, 'headers').get('accept')).toBe('must be a string');
    expect(fieldErrors(new Error('x')).size).toBe(0);
  });

  it('is found before sending where that is certain', () => {
    expect([...findFaults(schema, {})]).toEqual([['url', 'is required']]);
    expect([...findFaults(schema, { url: 'x', auth_type: 'bearer' })]).toEqual([
      ['bearer_token', 'is required'],
    ]);
    expect(findFaults(schema, { url: 'x', auth_type: 'bearer' }, ['bearer_token']).size).toBe(0);
    const odd: FieldSchema = { properties: { constructor: {} }, required: ['constructor'] };
    expect([...findFaults(odd, {})]).toEqual([['constructor', 'is required']]);
  });

  it('includes text that is not JSON, which is kept as it is', () => {
    const unfinished = readJson('{"a": ');
    expect(unfinished).toBeInstanceOf(UnreadableJson);
    expect(jsonText(unfinished)).toBe('{"a": ');
    expect(findFaults(schema, { url: 'x', headers: unfinished }).get('headers')).toContain(
      'is not valid JSON',
    );
    const rounded = readJson('{"id": 9007199254740993}');
    expect(findFaults(schema, { url: 'x', headers: rounded }).get('headers')).toContain('9007199254740993');
    expect(readJson('  ')).toBeUndefined();
    expect(jsonText(readJson('[1]'))).toBe('[\n  1\n]');
  });
});
