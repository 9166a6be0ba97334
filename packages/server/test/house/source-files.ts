import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';

/** Path from the project's root, with forward slashes → text. */
export type SourceFiles = ReadonlyMap<string, string>;

/** One place where a rule is broken: `path:line what is wrong`. */
export type Violation = string;

const root = resolve(import.meta.dirname, '../../../..');
const folders = ['packages', 'bench', 'scripts'];
/** Folders, and the file that is generated. */
const skipped = new Set(['node_modules', 'dist', 'coverage', 'api-types.ts']);

export function readSourceFiles(): SourceFiles {
  return readFiles(folders, /\.(ts|tsx|mts|mjs|js)$/);
}

export function readMigrations(): SourceFiles {
  return readFiles(['packages/server/src/database/migrations'], /\.sql$/);
}

/** Whether a file or folder of the project exists. */
export function existsInProject(path: string): boolean {
  return existsSync(join(root, path));
}

/** The pages at the root, in docs/ and those of packages. */
export function readDocuments(): SourceFiles {
  const atRoot = readdirSync(root).filter((name) => name.endsWith('.md'));
  const pages = atRoot.map((name): [string, string] => [name, readFileSync(join(root, name), 'utf8')]);
  return new Map([...pages, ...readFiles(['docs'], /\.md$/), ...readFiles(['packages'], /^README\.md$/)]);
}

function readFiles(within: readonly string[], names: RegExp): SourceFiles {
  const files = new Map<string, string>();
  for (const folder of within.filter((name) => existsSync(join(root, name)))) {
    for (const path of walk(join(root, folder), names)) {
      files.set(relative(root, path).split(sep).join('/'), readFileSync(path, 'utf8'));
    }
  }
  return files;
}

function walk(folder: string, names: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (skipped.has(entry.name)) return [];
    if (entry.isDirectory()) return walk(path, names);
    return names.test(entry.name) ? [path] : [];
  });
}

/** Tests may import anything: the import rules apply only to what runs. */
export function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || /^packages\/[^/]+\/test\//.test(path);
}
