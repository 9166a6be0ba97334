import { expect, it } from 'vitest';
import { grantableChange, grantableCommand } from './grantable.ts';

const changed = (...paths: string[]) => grantableChange('m', '/shop', paths);

it('changes can be allowed in the working directory, and nowhere else', () => {
  expect(changed('/shop/a.txt', '/shop/src/b.ts')).toEqual({
    kind: 'edits',
    machineId: 'm',
    directory: '/shop',
    paths: ['/shop/a.txt', '/shop/src/b.ts'],
  });
  expect(changed('/shop/a.txt', '/other/b.ts')).toBeUndefined();
  expect(changed('/shop/../b.ts')).toBeUndefined();
  expect(changed()).toBeUndefined();
  expect(grantableChange('m', undefined, ['/shop/a.txt'])).toBeUndefined();
});

it.each([
  '/shop/.env',
  '/shop/deploy.pem',
  '/shop/.git/hooks/pre-commit',
  '/shop/.GIT/hooks/pre-commit',
  '/shop/.vscode/tasks.json',
])('a change of %s is always asked about', (path) => {
  expect(changed('/shop/a.txt', path)).toBeUndefined();
});

it('a command can be allowed if it is nothing but words', () => {
  expect(grantableCommand('m', '/shop', ' npm  test ')).toEqual({
    kind: 'command',
    machineId: 'm',
    directory: '/shop',
    command: 'npm test',
  });
  const tricky = [
    'npm test && rm -rf ~',
    'npm test; ls',
    'npm test\nls',
    'npm test $(ls)',
    'npm test > x',
    'A=1 npm test',
    'npm *',
    '',
  ];
  for (const command of tricky) expect(grantableCommand('m', '/shop', command)).toBeUndefined();
});
