import { lineOf, maskSource } from './mask-source.ts';
import type { SourceFiles } from './source-files.ts';

export interface Import {
  /** The file that imports. */
  from: string;
  line: number;
  specifier: string;
  /** The imported file from the project's root, when it is one of ours. */
  target: string | undefined;
  /** The names that are imported, as the other file exports them. */
  names: string[];
  /** Whether only types are imported, which are gone at run time. */
  typesOnly: boolean;
}

const statement = /\b(?:import|export)\s+(type\s+)?([\w$*{},\s]*?)\bfrom\s*['"]/g;
const sideEffect = /\bimport\s*['"]/g;
const dynamic = /\b(?:import|require)\s*\(\s*['"`]/g;

/** Cached, because most rules use them and reading them takes a second. */
const known = new WeakMap<SourceFiles, Import[]>();

export function importsOf(files: SourceFiles): Import[] {
  const found = known.get(files) ?? [...files].flatMap(([from, source]) => importsOfFile(from, source));
  known.set(files, found);
  return found;
}

function importsOfFile(from: string, source: string): Import[] {
  const code = maskSource(source);
  const found: Import[] = [];
  const add = (match: RegExpExecArray, names: string[], typesOnly: boolean) => {
    const start = match.index + match[0].length;
    const quote = code[start - 1] ?? '';
    const specifier = source.slice(start, code.indexOf(quote, start));
    const target = targetOf(from, specifier);
    found.push({ from, line: lineOf(source, match.index), specifier, target, names, typesOnly });
  };
  for (const match of code.matchAll(statement)) {
    const clauses = (match[2] ?? '').split(/[{},]/).map((clause) => clause.trim());
    const given = clauses.filter((clause) => clause !== '');
    const typesOnly =
      match[1] !== undefined || (given.length > 0 && given.every((clause) => /^type\s/.test(clause)));
    const names = given.map((clause) => clause.replace(/^type\s+/, '').replace(/\s+as\s.*$/s, ''));
    add(match, names, typesOnly);
  }
  for (const match of code.matchAll(sideEffect)) add(match, [], false);
  for (const match of code.matchAll(dynamic)) add(match, ['*'], false);
  return found;
}

/** `./x.ts` and `@svc/contract/x` as paths from the root; undefined for packages from the registry. */
function targetOf(from: string, specifier: string): string | undefined {
  const ours = /^@svc\/([^/]+)(?:\/(.+))?$/.exec(specifier);
  if (ours) return `packages/${ours[1]}/src/${ours[2] ?? 'index'}.ts`;
  if (!specifier.startsWith('.')) return undefined;
  const path: string[] = from.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') path.pop();
    else if (part !== '.') path.push(part);
  }
  return path.join('/');
}
