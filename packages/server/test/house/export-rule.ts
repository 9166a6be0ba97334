import { lineOf } from './mask-source.ts';
import { isTest, type SourceFiles, type Violation } from './source-files.ts';

/** Tables describe the whole database, and a test compares them with it. */
const apart = /\.tables\.ts$/;

/** Nothing is exported for tests alone: what only they name is dead, although the check of unused code counts it as used. */
export function exportsAreUsedOutsideTests(files: SourceFiles): Violation[] {
  const sources = [...files].filter(([path]) => /^packages\/[^/]+\/src\//.test(path) && !isTest(path));
  const uses = new Map<string, number>();
  for (const [, source] of sources)
    for (const [word] of source.matchAll(/\w+/g)) uses.set(word, (uses.get(word) ?? 0) + 1);
  return sources.flatMap(([path, source]) => {
    if (apart.test(path)) return [];
    const exported = source.matchAll(/^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm);
    return [...exported]
      .filter(([, name = '']) => uses.get(name) === 1)
      .map(({ 1: name, index }) => `${path}:${lineOf(source, index)} exports ${name}, which no source uses`);
  });
}
