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

/** The previous release runs beside the new one during a deploy, on the schema of the new one. */
export function migrationsOnlyAdd(files: SourceFiles): Violation[] {
  return [...files].flatMap(([path, source]) => {
    const name = path.split('/').at(-1) ?? '';
    return name <= lastBeforeTheRule ? [] : statementsOf(source).flatMap((one) => violations(path, one));
  });
}

function violations(path: string, { line, text }: Statement): Violation[] {
  if (mark.test(text)) return [];
  const bare = text.replaceAll(/--.*$/gm, '');
  const found = removals.filter(([pattern]) => pattern.test(bare)).map(([, what]) => what);
  if (addsRequiredColumn(bare)) found.push('adds a required column without a default to');
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
