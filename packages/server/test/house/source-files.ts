import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';

/** Path from the project's root, with forward slashes → text. */
export type SourceFiles = ReadonlyMap<string, string>;

/** One place where a rule is broken: `path:line what is wrong`. */
export type Violation = string;

const root = resolve(import.meta.dirname, '../../../..');
const folders = ['packages', 'bench', 'scripts'];
const skipped = new Set(['node_modules', 'dist', 'coverage']);

export function readSourceFiles(): SourceFiles {
  const files = new Map<string, string>();
  for (const folder of folders.filter((name) => existsSync(join(root, name)))) {
    for (const path of walk(join(root, folder))) {
      files.set(relative(root, path).split(sep).join('/'), readFileSync(path, 'utf8'));
    }
  }
  return files;
}

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : walk(path);
    return /\.(ts|tsx|mts|mjs|js)$/.test(entry.name) ? [path] : [];
  });
}

/** Tests may import anything: the import rules apply only to what runs. */
export function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || /^packages\/[^/]+\/test\//.test(path);
}
