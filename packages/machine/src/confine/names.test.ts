import { expect, it } from 'vitest';
import { isGitName, requireListedName, requireUsableName } from './names.ts';

it.each([
  'CON',
  'nul.txt',
  'COM1',
  'lpt9.log',
  'aux .c',
  'a:b',
  'file.',
  'file ',
  'a?b',
  'x\u0001y',
  'CONIN$',
  'COM¹',
  'c:',
])('does not use %j on Windows', (name) => {
  expect(() => requireUsableName(name, 'win32')).toThrow('is not a name that can be used');
  expect(() => requireUsableName(name, 'linux')).not.toThrow();
});

it.each(['console', 'com', 'com10', 'nullable.ts', '.gitignore', 'a b', 'é'])(
  'uses %j everywhere',
  (name) => {
    expect(() => requireUsableName(name, 'win32')).not.toThrow();
  },
);

it.each(['a\0b', 'x'.repeat(256), '€'.repeat(86), '\udc00'])('uses %j nowhere', (name) => {
  expect(() => requireUsableName(name, 'linux')).toThrow('is not a name that can be used');
});

it('does not use the short form of a name', () => {
  const list = () => ['.env', 'notes~1.txt', 'README.md'];
  expect(() => requireListedName('ENV~1', list)).toThrow('short form of another name');
  expect(() => requireListedName('en1f2a~1.txt', list)).toThrow('short form of another name');
  for (const name of ['notes~1.txt', 'NOTES~1.TXT', 'readme.md'])
    expect(() => requireListedName(name, list)).not.toThrow();
});

it('recognizes all spellings of .git', () => {
  for (const name of [
    '.git',
    '.GIT',
    '.git.',
    '.git . ',
    '.git:stream',
    'git~1',
    'GIT~2',
    '.gi\u200dt',
    '\ufeff.git',
  ])
    expect([name, isGitName(name)]).toEqual([name, true]);
  for (const name of ['git', '.gitignore', '.git2', 'a.git', '.github', 'git~x'])
    expect(isGitName(name)).toBe(false);
});
