import type { SourceFiles, Violation } from './source-files.ts';

/** Later migrations follow the rule. */
const lastBeforeTheRule = '0023-failed-tool-messages.sql';
/** What a migration says before a statement that removes something. */
const mark = /-- .*unused since \d{4}-[\w-]+\.sql/;

const removals: readonly [pattern: RegExp, what: string][] = [
  [/\bdrop\s+(table|view|column|function|procedure|trigger|type|constraint|schema|sequence)\b/i, 'drops'],
  [/\brename\b/i, 'renames'],
  [/\bset\s+not\s+null\b/i, 'forbids null in'],
  [/\balter\s+column\s+\S+\s+(set\s+data\s+)?type\b/i, 'changes the type of'],
];
const newTable = /\bcreate\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?([\w.]+)/gi;
/** On a new table they are harmless; elsewhere the previous release may write what they refuse. */
const newConstraint =
  /\bcreate\s+unique\s+index\b.*?\bon\s+([\w.]+)|\balter\s+table\s+([\w.]+)\b.*?\badd\s+(?:constraint|check|unique|primary|foreign|exclude)\b/is;

/** The previous release runs beside the new one during a deploy, on the schema of the new one. */
export function migrationsOnlyAdd(files: SourceFiles): Violation[] {
  return [...files].flatMap(([path, source]) => {
    const name = path.split('/').at(-1) ?? '';
    if (name <= lastBeforeTheRule) return [];
    const created = new Set([...source.matchAll(newTable)].map(([, table]) => table));
    return statementsOf(source).flatMap((one) => violations(path, one, created));
  });
}

function violations(
  path: string,
  { line, text }: Statement,
  created: ReadonlySet<string | undefined>,
): Violation[] {
  if (mark.test(text)) return [];
  const bare = text.replaceAll(/--.*$/gm, '');
  const found = removals.filter(([pattern]) => pattern.test(bare)).map(([, what]) => what);
  if (addsRequiredColumn(bare)) found.push('adds a required column without a default to');
  const table = newConstraint.exec(bare)?.slice(1).find(Boolean);
  if (table && !created.has(table)) found.push('constrains');
  return found.map(
    (what) =>
      `${path}:${line} ${what} something that the previous release may use: stop using it in one release, remove it in a later one, with a comment "unused since NNNN-name.sql" that names the newest migration of the first`,
  );
}

function addsRequiredColumn(statement: string): boolean {
  if (!/\balter\s+table\b/i.test(statement)) return false;
  const clauses = statement.replaceAll(/\([^()]*\)/g, '').matchAll(/\badd\s+(?:column\s+)?([^,;]*)/gi);
  return [...clauses].some(
    ([, column = '']) => /\bnot\s+null\b/i.test(column) && !/\b(default|generated)\b/i.test(column),
  );
}

interface Statement {
  line: number;
  /** With the comments before it. */
  text: string;
}

function statementsOf(source: string): Statement[] {
  let line = 1;
  return source.split(';').map((text) => {
    const begins = line + (/^\s*/.exec(text)?.[0].split('\n').length ?? 1) - 1;
    line += text.split('\n').length - 1;
    return { line: begins, text };
  });
}
