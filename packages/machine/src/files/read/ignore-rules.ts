import { closeSync, readFileSync } from 'node:fs';
import picomatch from 'picomatch';
import { openRegular } from '../../confine/open-regular.ts';
import { codeOf, Refusal } from '../../confine/refusal.ts';

/** The rules of one .gitignore file. */
export interface IgnoreRules {
  /** The names from the root to the folder that the file is in. */
  folder: readonly string[];
  rules: readonly Rule[];
}

interface Rule {
  isException: boolean;
  isForFolders: boolean;
  matches(path: string): boolean;
}

const maxBytes = 256n * 1024n;
/** Longer rules are left out: they match nothing, and take very long to read. */
const maxRuleCharacters = 1000;

/** Reads the .gitignore of the current directory. */
export function readIgnoreRules(folder: readonly string[]): IgnoreRules | undefined {
  const text = readOwnFile('.gitignore');
  if (text === undefined) return undefined;
  return { folder, rules: text.split(/\r?\n/).flatMap((line) => parseRule(line) ?? []) };
}

/** As git decides it, except that its other sources of rules are not read. The last rule that matches counts. */
export function isIgnored(
  files: readonly IgnoreRules[],
  names: readonly string[],
  isFolder: boolean,
): boolean {
  let ignored = false;
  for (const { folder, rules } of files) {
    if (!folder.every((name, index) => names[index] === name)) continue;
    const path = names.slice(folder.length).join('/');
    for (const rule of rules)
      if ((isFolder || !rule.isForFolders) && rule.matches(path)) ignored = !rule.isException;
  }
  return ignored;
}

function parseRule(line: string): Rule | undefined {
  if (line.length > maxRuleCharacters) return undefined;
  const trimmed = line.replace(/(?<!\\) +$/, '');
  if (trimmed === '' || trimmed.startsWith('#')) return undefined;
  const isException = trimmed.startsWith('!');
  const pattern = (isException ? trimmed.slice(1) : trimmed).replace(/^\\(?=[!#])/, '');
  const bare = pattern.replace(/\/+$/, '');
  if (bare === '') return undefined;
  const glob = bare.includes('/') ? bare.replace(/^\//, '') : `**/${bare}`;
  const options = { dot: true, nobrace: true, noextglob: true, nonegate: true };
  return { isException, isForFolders: pattern !== bare, matches: picomatch(glob, options) };
}

function readOwnFile(name: string): string | undefined {
  try {
    const { descriptor, stat } = openRegular(name, name);
    try {
      return stat.size > maxBytes ? undefined : readFileSync(descriptor, 'utf8');
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    // Without the file, or if it cannot be read, nothing is ignored.
    if (error instanceof Refusal || codeOf(error)?.startsWith('E')) return undefined;
    throw error;
  }
}
