import { services } from './import-rules.ts';
import { importsOf } from './imports.ts';
import { isTest, type SourceFiles, type Violation } from './source-files.ts';

/**
 * No file imports itself through others, not even for its types: what both need stands in a third file below them.
 * Only the type `Services` names every feature and is known to all of them.
 */
export function importsHaveNoCycles(files: SourceFiles): Violation[] {
  const lines = new Map<string, number>();
  const targets = new Map<string, Set<string>>();
  for (const { from, target, line } of importsOf(files)) {
    if (!target || target === services || !isChecked(from) || !files.has(target)) continue;
    lines.set(`${from} ${target}`, line);
    targets.set(from, (targets.get(from) ?? new Set()).add(target));
  }
  return cyclesIn(targets).map((cycle) => {
    const [first = '', second = ''] = cycle;
    return `${first}:${lines.get(`${first} ${second}`)} starts a cycle: ${cycle.join(' → ')}`;
  });
}

function isChecked(path: string): boolean {
  return /^packages\/[^/]+\/src\//.test(path) && !isTest(path);
}

/** One cycle for every import that closes one, in depth-first order. */
function cyclesIn(targets: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const visit = (path: string, above: readonly string[]) => {
    const start = above.indexOf(path);
    if (start !== -1) cycles.push([...above.slice(start), path]);
    if (start !== -1 || done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...above, path]);
    done.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return cycles;
}
