import type { SourceFiles, Violation } from './source-files.ts';

const maxLines = 500;
/** Files that are long by nature and used for lookup, not read from top to bottom. */
const apart = /\/migrations\/|\/fixtures\/|\.fixtures?\.ts$|\/tables\.ts$/;

export function filesStayShort(files: SourceFiles): Violation[] {
  return [...files].flatMap(([path, source]) => {
    const lines = source.trimEnd().split('\n').length;
    if (lines <= maxLines || apart.test(path)) return [];
    return `${path}:${maxLines + 1} has ${lines} lines, more than ${maxLines}: split it by what changes together`;
  });
}
