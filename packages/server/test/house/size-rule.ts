import type { SourceFiles, Violation } from './source-files.ts';

const maxLines = 300;
/** What is long by nature and read by looking up, not from top to bottom. */
const apart = /\/migrations\/|\/fixtures\/|\.fixtures?\.ts$|\/tables\.ts$/;

export function filesStayShort(files: SourceFiles): Violation[] {
  return [...files].flatMap(([path, source]) => {
    const lines = source.trimEnd().split('\n').length;
    if (lines <= maxLines || apart.test(path)) return [];
    return `${path}:${maxLines + 1} has ${lines} lines; ${maxLines} are the most: split it by what changes together`;
  });
}
