import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../confine/refusal.ts';

const day = 24 * 60 * 60 * 1000;

const retention = {
  maxAgeMs: 30 * day,
  maxBytes: 1024 ** 3,
  /** Manifests are small; they tell for longer that a change can no longer be taken back. */
  maxManifestAgeMs: 365 * day,
};

export type Retention = typeof retention;

/** Removes the old contents of changes that are old, and of the oldest ones while all together are too large. */
export function pruneChanges(stateFolder: string, limits: Retention = retention, now = Date.now()): void {
  const changes = join(stateFolder, 'changes');
  const stored = namesIn(changes)
    .map((name) => readChange(join(changes, name)))
    .toSorted((one, other) => other.writtenAt - one.writtenAt);
  let total = 0;
  for (const change of stored) {
    const age = now - change.writtenAt;
    total += change.contents.reduce((sum, { bytes }) => sum + bytes, 0);
    if (age > limits.maxManifestAgeMs) rmSync(change.folder, { recursive: true, force: true });
    else if (age > limits.maxAgeMs || total > limits.maxBytes)
      for (const { file } of change.contents) rmSync(file, { force: true });
  }
}

function readChange(folder: string) {
  const contents = namesIn(folder)
    .filter((name) => /^\d+$/.test(name))
    .map((name) => join(folder, name))
    .map((file) => ({ file, bytes: statSync(file).size }));
  return { folder, writtenAt: statSync(folder).mtimeMs, contents };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
