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
