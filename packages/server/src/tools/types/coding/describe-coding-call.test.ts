import { describe, expect, it } from 'vitest';
import { describePreview } from './describe-coding-call.ts';
import { operations } from './operations.ts';

const operation = (name: string) => {
  const found = operations.find((one) => one.name === name);
  if (!found) throw new Error(name);
  return found;
};
const lap = { id: 'm', name: 'lap' };
const basisOf = (...paths: string[]) => ({ files: paths.map((path) => ({ path, hash: 'ab' })) });

describe('what a person sees of a call', () => {
  it('is the diff of a file, whose path stays when they edit', () => {
    const basis = basisOf('/srv/x/a.ts');
    const given = { path: 'a.ts', content: 'x' };
    const value = { files: [{ path: 'a.ts', diff: '-y\n+x\n' }], basis };
    expect(describePreview(operation('write_file'), given, value, lap)).toEqual({
      context: { kind: 'diff', path: 'a.ts', diff: '-y\n+x\n' },
      basis,
      changes: ['/srv/x/a.ts'],
      argumentsSchema: {
        type: 'object',
        properties: {
          path: expect.objectContaining({ const: 'a.ts' }),
          content: expect.objectContaining({ type: 'string' }),
        },
        required: ['path', 'content'],
        additionalProperties: false,
      },
    });
  });

  it('is all diffs of a patch, under the names of its files', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const value = { files: names.map((path) => ({ path, diff: `+${path}` })), basis: basisOf(...names) };
    const described = describePreview(operation('apply_patch'), { patch: 'x' }, value, lap);
    expect(described).toEqual({
      context: { kind: 'diff', path: '6 files: a, b, c, d, e, …', diff: '+a\n+b\n+c\n+d\n+e\n+f\n' },
      basis: value.basis,
      changes: names,
    });
  });

  it('is the command with its directory and machine, and both stay when they edit', () => {
    const basis = { cwd: '/srv/x/sub' };
    const value = { cwd: '/srv/x/sub', basis };
    const command = operation('run_command');
    expect(describePreview(command, { command: 'make', path: 'sub' }, value, lap)).toMatchObject({
      context: { kind: 'command', command: 'make', cwd: '/srv/x/sub', machine: 'lap' },
      basis,
      argumentsSchema: { properties: { path: { const: 'sub' } }, required: ['command', 'path'] },
    });
    const described = describePreview(command, { command: 'make' }, value, lap);
    expect(described).toMatchObject({
      argumentsSchema: { additionalProperties: false, required: ['command'] },
    });
    expect(described).not.toHaveProperty('argumentsSchema.properties.path');
  });

  it('is nothing if the change is too large or no change', () => {
    const big = { files: [{ path: 'a', diff: 'x'.repeat(256 * 1024 + 1) }], basis: basisOf('a') };
    const given = { path: 'a', content: '' };
    const write = operation('write_file');
    expect(describePreview(write, given, big, lap)).toEqual({ fault: expect.stringContaining('Split it') });
    const same = { files: [{ path: 'a', diff: '' }], basis: basisOf('a') };
    expect(describePreview(write, given, same, lap)).toEqual({ fault: expect.stringContaining('nothing') });
    const empty = { ...same, basis: { files: [{ path: 'a', hash: null }] } };
    expect(describePreview(write, given, empty, lap)).toHaveProperty('context.kind', 'diff');
  });

  it.each([null, { files: [] }, { files: [], basis: { files: 'x' } }])('must be readable: %j', (value) => {
    expect(() => describePreview(operation('write_file'), { path: 'a' }, value, lap)).toThrow('cannot read');
  });
});
