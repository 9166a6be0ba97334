import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Path → content, with `+x` before the content of executable files. Folders end with a slash. */
export type FileTree = Record<string, string>;

export function writeTree(root: string, tree: FileTree): void {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
  for (const [path, content] of Object.entries(tree)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), content.replace(/^\+x/, ''));
    chmodSync(join(root, path), content.startsWith('+x') ? 0o755 : 0o644);
  }
}

export function readTree(root: string): FileTree {
  const tree: FileTree = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(root.length + 1);
    if (entry.isDirectory()) tree[`${path}/`] = '';
    else tree[path] = `${statSync(file).mode & 0o100 ? '+x' : ''}${readFileSync(file, 'utf8')}`;
  }
  return tree;
}
