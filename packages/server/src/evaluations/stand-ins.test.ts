import { describe, expect, it } from 'vitest';
import type { BoundFunction, ToolRun } from '../tools/tools.service.ts';
import { findStandIn, standingIn } from './stand-ins.ts';

const acts: BoundFunction = {
  name: 'pay',
  description: 'Pays.',
  parameters: { type: 'object' },
  approval: 'always',
  describeCall: async () => ({ context: { kind: 'call', summary: 'x' } }),
  run: async () => {
    throw new Error('it acted');
  },
  toolType: 'http_request',
  toolId: 'a',
  repeatable: false,
  hasEffects: true,
  isPure: false,
  hidesErrors: true,
  fingerprint: () => ({ tool: '', offer: '' }),
};
const run = {} as ToolRun;

describe('the stand-in of a call', () => {
  it('is the first that fits', () => {
    const standIns = [
      { function: 'f', arguments: { order: { number: 1 } }, result: 'one' },
      { function: 'f', arguments: { tags: ['a', 'b'] }, result: 'tags' },
      { function: 'f', arguments: { order: null }, result: 'none' },
      { function: 'f', arguments: {}, result: 'any' },
      { function: 'f', result: 'never reached' },
    ];
    const result = (given: Record<string, unknown>) => findStandIn(standIns, given)?.result;
    expect(result({ order: { number: 1, lines: [] }, more: true })).toBe('one');
    expect(result({ order: { number: 2 } })).toBe('any');
    expect(result({ tags: ['a', 'b'] })).toBe('tags');
    expect(result({ tags: ['a'] })).toBe('any');
    expect(result({ order: null })).toBe('none');
    expect(result({})).toBe('any');
    expect(findStandIn([{ function: 'f', arguments: { a: 1 }, result: 'x' }], {})).toBeUndefined();
  });
});

describe('a function in an evaluation', () => {
  it('looks the same, asks nobody, may be repeated, and answers with its stand-in', async () => {
    const standIns = [
      { function: 'other', result: 'wrong' },
      { function: 'pay', arguments: { amount: 1 }, result: { paid: 1 } },
      { function: 'pay', arguments: { amount: 2 }, result: 'too much', is_error: true },
    ];
    const { name, parameters, approval, repeatable, describeCall, ...function_ } = standingIn(acts, standIns);
    expect({ name, parameters, approval, repeatable, describeCall }).toEqual({
      name: 'pay',
      parameters: acts.parameters,
      approval: 'never',
      repeatable: true,
      describeCall: undefined,
    });
    expect(await function_.run({ amount: 1 }, run)).toEqual({
      status: 'ok',
      content: '{"paid":1}',
      result: { paid: 1 },
    });
    expect(await function_.run({ amount: 2 }, run)).toEqual({
      status: 'error',
      content: 'too much',
      result: { error: 'too much' },
    });
    expect(await function_.run({ amount: 3 }, run)).toMatchObject({
      status: 'error',
      content: expect.stringContaining('no result for this call'),
    });
  });

  it('runs by itself only when it touches nothing, and has no stand-in', async () => {
    const pure: BoundFunction = {
      ...acts,
      isPure: true,
      run: async () => ({ status: 'ok', content: '4', result: 4 }),
    };
    expect((await standingIn(pure, []).run({}, run)).content).toBe('4');
    expect((await standingIn(pure, [{ function: 'pay', result: 5 }]).run({}, run)).content).toBe('5');
  });
});
