import { expect, it } from 'vitest';
import type { Grantable } from '../../tools/tools.service.ts';
import { isCovered } from './is-covered.ts';

const tests = { machineId: 'm', kind: 'command' as const, directory: '/shop', command: 'npm test' };
const edits = { machineId: 'm', kind: 'edits' as const, directory: '/shop', command: null };
const command = (over: object): Grantable => ({ ...tests, ...over });
const change = (paths: string[], over: object = {}): Grantable => ({
  kind: 'edits',
  machineId: 'm',
  directory: '/shop',
  paths,
  ...over,
});

it('a command is covered by a grant of the same words, in the same directory of the same machine', () => {
  expect(isCovered(command({}), tests)).toBe(true);
  const others = [
    { command: 'npm test x' },
    { command: 'npm' },
    { directory: '/shop/a' },
    { machineId: 'n' },
  ];
  for (const other of others) expect(isCovered(command(other), tests)).toBe(false);
  expect(isCovered(command({}), edits)).toBe(false);
});

it('a change is covered if all of its files are inside the directory', () => {
  expect(isCovered(change(['/shop/a', '/shop/b/c']), edits)).toBe(true);
  // From wherever it was proposed.
  expect(isCovered(change(['/shop/b/c'], { directory: '/shop/b' }), edits)).toBe(true);
  expect(isCovered(change(['/other/a'], { directory: '/other' }), edits)).toBe(false);
  expect(isCovered(change(['/shop/a', '/shop2/b']), edits)).toBe(false);
  expect(isCovered(change(['/shop/../b']), edits)).toBe(false);
  expect(isCovered(change([]), edits)).toBe(false);
  expect(isCovered(change(['/shop/a'], { machineId: 'n' }), edits)).toBe(false);
  expect(isCovered(change(['/shop/a']), tests)).toBe(false);
});
