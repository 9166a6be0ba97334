import { basename } from 'node:path';
import { isTest, type SourceFiles, type Violation } from './source-files.ts';

const maxLines = 500;
/** Files that are long by nature and used for lookup, not read from top to bottom. */
const apart = /\/migrations\/|\/fixtures\/|\.fixtures?\.ts$|\.tables\.ts$/;

export function filesStayShort(files: SourceFiles): Violation[] {
  return [...files].flatMap(([path, source]) => {
    const lines = source.trimEnd().split('\n').length;
    if (lines <= maxLines || apart.test(path)) return [];
    return `${path}:${maxLines + 1} has ${lines} lines, more than ${maxLines}: split it by what changes together`;
  });
}

const maxFunctionLines = 80;
/** Factories, whose functions count by themselves, and lists of routes or commands. */
const longByNature = /^(?:create|open|start)[A-Z]|(?:Routes|Commands)$/;

/** Counts the lines of a function without the functions that it declares. The formatter indents, so a function ends at its own indentation. */
export function functionsStayShort(files: SourceFiles): Violation[] {
  return [...files].flatMap(([path, source]) => {
    if (!path.endsWith('.ts') || isTest(path)) return [];
    const lines = source.split('\n');
    const declared = lines.flatMap((line, from) => {
      const [, indent = '', name] = /^( *)(?:export )?(?:async )?function\*? (\w+)/.exec(line) ?? [];
      if (name === undefined) return [];
      return [{ name, from, to: lines.indexOf(`${indent}}`, from) }];
    });
    return declared.flatMap(({ name, from, to }) => {
      const inner = declared.filter((other) => other.from > from && other.to < to);
      const others = inner.filter((one) => !inner.some((two) => two.from < one.from && two.to > one.to));
      const own = to - from + 1 - others.reduce((sum, other) => sum + other.to - other.from + 1, 0);
      if (own <= maxFunctionLines || longByNature.test(name)) return [];
      return [
        `${path}:${from + 1} ${name} has ${own} lines of its own, more than ${maxFunctionLines}: split it`,
      ];
    });
  });
}

/** The name of a file in the server is enough to find it. */
export function fileNamesAreUnique(files: SourceFiles): Violation[] {
  const sources = [...files.keys()].filter(
    (path) => path.startsWith('packages/server/src/') && !isTest(path),
  );
  const byName = Map.groupBy(sources, (path) => basename(path));
  return [...byName].flatMap(([name, paths]) =>
    paths.length > 1 ? [`${paths.join(' and ')} are both called ${name}: give each a name of its own`] : [],
  );
}
