import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pruneChanges } from './prune.ts';

let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'svc-prune-'));
});
afterEach(() => rmSync(state, { recursive: true }));

function store(name: string, ageSeconds: number, bytes: number): string {
  const folder = join(state, 'changes', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'manifest.json'), '{}');
  writeFileSync(join(folder, '0'), 'x'.repeat(bytes));
  utimesSync(folder, Date.now() / 1000 - ageSeconds, Date.now() / 1000 - ageSeconds);
  return folder;
}

it('removes old contents by age and size, the oldest first, and keeps manifests for longer', () => {
  const limits = { maxAgeMs: 50_000, maxBytes: 100, maxManifestAgeMs: 500_000 };
  const folders = [store('new', 1, 60), store('large', 2, 60), store('old', 60, 1), store('ancient', 600, 1)];
  pruneChanges(state, limits);
  expect(folders.map((folder) => existsSync(join(folder, '0')))).toEqual([true, false, false, false]);
  expect(folders.map((folder) => existsSync(join(folder, 'manifest.json')))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  pruneChanges(join(state, 'absent'));
});
