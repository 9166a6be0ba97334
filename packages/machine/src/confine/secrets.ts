import { isSensitivePath } from '@svc/contract/sensitive-path';
import { displayPath, namesOf } from './paths.ts';
import { quote, Refusal } from './refusal.ts';
import type { Workdir } from './workdir.ts';

/** Whether a real path inside the root is one of a file that may have passwords or keys in it. */
export function isSecret(root: string, path: string): boolean {
  return isSensitivePath(namesOf(path).slice(namesOf(root).length).join('/'));
}

/** By the real path, so that a link cannot lead there unasked. */
export function requireNoSecret({ root, path: base, mayOpenSecrets }: Workdir, path: string): void {
  if (mayOpenSecrets || !isSecret(root, path)) return;
  const shown = quote(displayPath(base, path));
  throw new Refusal(
    `${shown} may contain passwords or keys, so a person has to approve this first: use read_file or write_file with exactly this path.`,
  );
}
