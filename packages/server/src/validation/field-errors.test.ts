import { BotCreate } from '@svc/contract/bots';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import type { AppError } from '../lib/app-error.ts';
import { compileCheck } from './checker.ts';

const check = compileCheck(BotCreate);

function faults(value: unknown) {
  try {
    check(value, '');
  } catch (error) {
    const { code, details } = error as AppError;
    return { code, details };
  }
  return undefined;
}

describe('field errors', () => {
  it('names every wrong field', () => {
    expect(faults({ nmae: 'x', temperature: 9, status: 'gone', max_iterations: 1.5 })).toEqual({
      code: 'VALIDATION_FAILED',
      details: expect.arrayContaining([
        { path: 'name', message: 'is required' },
        { path: 'nmae', message: 'is not a known field' },
        { path: 'temperature', message: 'must be at most 2' },
        { path: 'status', message: 'must be one of active, inactive' },
        { path: 'max_iterations', message: 'must be an integer' },
      ]),
    });
  });

  it('says once what a nullable field takes', () => {
    expect(faults({ name: 'x', schedule: 5 })?.details).toEqual([
      { path: 'schedule', message: 'must be a string or null' },
    ]);
  });

  it('says every type that a field takes', () => {
    const either = compileCheck(Type.Object({ to: Type.Unsafe({ type: ['object', 'null'] }) }));
    expect(() => either({ to: 'x' }, '')).toThrow('to must be an object or null');
  });

  it('looks into the branch that was meant', () => {
    expect(faults({ name: 'x', prompt_builder: { rolle: 'a', examples: [{ user: 'u' }] } })?.details).toEqual(
      [
        { path: 'prompt_builder.rolle', message: 'is not a known field' },
        { path: 'prompt_builder.examples.0.assistant', message: 'is required' },
      ],
    );
  });

  it('counts as people count', () => {
    const word = Type.String({ minLength: 2, maxLength: 1 });
    const list = compileCheck(
      Type.Object({ few: Type.Array(word, { maxItems: 1 }), some: Type.Array(word, { minItems: 1 }) }),
    );
    expect(() => list({ few: ['ab', 'a'], some: [] }, '')).toThrow(
      expect.objectContaining({
        details: expect.arrayContaining([
          { path: 'few', message: 'must have at most 1 entry' },
          { path: 'few.0', message: 'must have at most 1 character' },
          { path: 'few.1', message: 'must have at least 2 characters' },
          { path: 'some', message: 'must have at least 1 entry' },
        ]),
      }),
    );
  });

  it('keeps metadata apart', () => {
    expect(faults({ name: 'x', metadata: { a: 1 } })?.code).toBe('METADATA_INVALID');
    expect(faults({ name: 'x', metadata: [] })?.code).toBe('METADATA_INVALID');
    expect(faults({ name: 'x', metadata: { a: 'x'.repeat(8192) } })?.code).toBe('METADATA_INVALID');
    expect(faults({ name: 'x', metadata: { a: 'x'.repeat(8192 - '{"a":""}'.length) } })).toBeUndefined();
  });

  it('names at most twenty, whatever else is wrong', () => {
    const examples = Array.from({ length: 1_000 }, () => ({ user: 1 }));
    expect(faults({ name: 'x', prompt_builder: { examples } })?.details).toHaveLength(20);
  });

  it('names only the first of what would take long to list', () => {
    const examples = Array.from({ length: 100_000 }, () => ({ user: 1 }));
    expect(faults({ name: 'x', prompt_builder: { examples } })?.details).toHaveLength(1);
  });

  it('does not repeat a long name', () => {
    const [fault] = (faults({ name: 'x', ['k'.repeat(100_000)]: 1 })?.details ?? []) as { path: string }[];
    expect(fault).toEqual({ path: `${'k'.repeat(199)}…`, message: 'is not a known field' });
  });
});
