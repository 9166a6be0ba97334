import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isGitName } from '../../confine/names.ts';
import { isSecret } from '../../confine/secrets.ts';

export interface SecretPath {
  path: string;
  isFolder: boolean;
}

/** Looking at more would delay every command. */
const maxEntries = 20_000;
const maxSecrets = 500;

/**
 * The files and folders of a root that may have passwords or keys in them, those near the root first. Links are not followed, and
 * neither node_modules nor .git is looked into.
 */
export async function findSecrets(root: string): Promise<SecretPath[]> {
  const found: SecretPath[] = [];
  const waiting = [root];
  let seen = 0;
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    // A folder that cannot be read here cannot be read by the command either.
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      seen += 1;
      if (seen > maxEntries || found.length === maxSecrets) return found;
      const path = join(folder, entry.name);
      const isFolder = entry.isDirectory();
      if ((isFolder || entry.isFile()) && isSecret(root, path)) found.push({ path, isFolder });
      else if (isFolder && entry.name !== 'node_modules' && !isGitName(entry.name)) waiting.push(path);
    }
  }
  return found;
}
