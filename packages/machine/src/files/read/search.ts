import { closeSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Search, SearchMatches } from '@svc/contract/machine-protocol';
import { enterExactly } from '../../confine/enter.ts';
import type { Location } from '../../confine/locate.ts';
import { isGitName } from '../../confine/names.ts';
import { openRegular } from '../../confine/open-regular.ts';
import { displayPath, namesOf } from '../../confine/paths.ts';
import { codeOf, explaining, quote, Refusal } from '../../confine/refusal.ts';
import { isSecret, requireNoSecret } from '../../confine/secrets.ts';
import { locateIn, type Workdir } from '../../confine/workdir.ts';
import { searchLimits } from '../../search-limits.ts';
import { timeLimits } from '../time-limits.ts';
import { walkFolders } from './folders.ts';
import { compileGlob } from './glob.ts';
import { type IgnoreRules, isIgnored, readIgnoreRules } from './ignore-rules.ts';
import { decode, isBinary } from './text.ts';

const { maxMatches, maxLineLength } = searchLimits;
const maxFileBytes = BigInt(searchLimits.maxFileMegabytes * 1024 * 1024);

/** For machines without ripgrep. Respects .gitignore files inside of the root, but not git's global rules. */
export function search(workdir: Workdir, options: Search): SearchMatches {
  const path = options.path ?? '.';
  const location = locateIn(workdir, path);
  if (!location.stat) throw new Refusal(`${quote(path)} does not exist.`);
  const searched: Searched = {
    workdir,
    matcher: createMatcher(options),
    found: { matches: [], truncated: false, engine: 'built-in' },
    deadline: Date.now() + timeLimits.partial,
  };
  return explaining(path, () => {
    if (location.stat?.isDirectory()) searchFolder(searched, location, options.glob);
    else if (location.name !== undefined) {
      requireNoSecret(workdir, location.path);
      searchFile(searched, location.directory, location.name);
    }
    return searched.found;
  });
}

interface Searched {
  workdir: Workdir;
  matcher: Matcher;
  found: SearchMatches;
  deadline: number;
}

function searchFolder(searched: Searched, { root, path: base }: Location, glob: string | undefined): void {
  const isWanted = glob === undefined ? () => true : compileGlob(glob);
  const above = namesOf(base).slice(namesOf(root).length);
  const rules = rulesAbove(root, base);
  const folders = walkFolders({
    root,
    base,
    maxDepth: Infinity,
    mayEnter: ({ names }, name) =>
      !isGitName(name) && name !== 'node_modules' && !isIgnored(rules, [...above, ...names, name], true),
  });
  for (const folder of folders) {
    if (isFull(searched)) return;
    const own = readIgnoreRules([...above, ...folder.names]);
    if (own) rules.push(own);
    searched.found.truncated ||= folder.truncated;
    for (const entry of folder.entries) {
      const names = [...folder.names, entry.name];
      if (!entry.isFile() || !isWanted(names.join('/')) || isIgnored(rules, [...above, ...names], false))
        continue;
      // Left out even if the search was approved: nobody saw which files it would find.
      if (isSecret(root, join(base, ...names))) continue;
      searchFile(searched, join(base, ...folder.names), entry.name);
      if (isFull(searched)) return;
    }
  }
}

function isFull({ found, deadline }: Searched): boolean {
  if (found.matches.length < maxMatches && Date.now() < deadline) return false;
  found.truncated = true;
  return true;
}

/** The folder must be the current directory. Files that cannot be read are left out. */
function searchFile({ workdir, matcher, found }: Searched, directory: string, name: string): void {
  const bytes = readText(found, name);
  if (!bytes || !matcher.mayMatch(bytes)) return;
  const path = displayPath(workdir.path, join(directory, name));
  let line = 0;
  for (const text of decode(bytes).split('\n')) {
    line += 1;
    if (!matcher.matches(text.endsWith('\r') ? text.slice(0, -1) : text)) continue;
    found.matches.push({ path, line, text: text.trimEnd().slice(0, maxLineLength).toWellFormed() });
    if (found.matches.length === maxMatches) return;
  }
}

function readText(found: SearchMatches, name: string): Buffer | undefined {
  try {
    const { descriptor, stat } = openRegular(name, name);
    try {
      found.truncated ||= stat.size > maxFileBytes;
      const bytes = stat.size > maxFileBytes ? undefined : readFileSync(descriptor);
      return bytes && !isBinary(bytes) ? bytes : undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof Refusal || codeOf(error)?.startsWith('E')) return undefined;
    throw error;
  }
}

/** Rules in the folders between the root and the base, the root's first. */
function rulesAbove(root: string, base: string): IgnoreRules[] {
  const folders: string[] = [];
  for (let folder = base; folder !== root; folder = dirname(folder)) folders.unshift(dirname(folder));
  return folders.flatMap((folder) => {
    enterExactly(root, folder);
    return readIgnoreRules(namesOf(folder).slice(namesOf(root).length)) ?? [];
  });
}

interface Matcher {
  /** False only if no line can match: a cheap look at the whole file. */
  mayMatch(bytes: Buffer): boolean;
  matches(line: string): boolean;
}

function createMatcher({ query, regex, ignore_case }: Search): Matcher {
  if (/[\r\n]/.test(query)) throw new Refusal('The query must be one line: lines are searched one by one.');
  if (regex) {
    const expression = compile(query, ignore_case ?? false);
    return { mayMatch: () => true, matches: (line) => expression.test(line) };
  }
  if (ignore_case) {
    const folded = query.toLowerCase();
    return { mayMatch: () => true, matches: (line) => line.toLowerCase().includes(folded) };
  }
  return { mayMatch: (bytes) => bytes.includes(query), matches: (line) => line.includes(query) };
}

/** Models often write `(?i)` at the beginning, which JavaScript does not know. */
function compile(query: string, ignoreCase: boolean): RegExp {
  const source = query.replace(/^\(\?i\)/, '');
  const flags = ignoreCase || source !== query ? 'i' : '';
  try {
    return new RegExp(source, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refusal(`The regular expression cannot be used: ${reason}`);
  }
}
