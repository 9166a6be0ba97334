import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { FileFolders } from './file-folders.ts';

/** Expectations about the folder that is not shared, which contains only `secret.txt`. */
export function createOutside(folders: FileFolders, secret: string) {
  /** Neither read nor changed, and nothing was created beside it. */
  async function staysOut(path: string): Promise<void> {
    const read = await folders.perform('read_file', { path });
    expect(JSON.stringify(read)).not.toContain(secret);
    expect(read.status).toBe('error');
    for (const [name, given] of [
      ['write_file', { path, content: 'overwritten' }],
      ['edit_file', { path, old_text: 'secret', new_text: 'overwritten' }],
      ['apply_patch', { patch: `--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n-${secret}\n+overwritten\n` }],
      ['preview', { operation: 'write_file', arguments: { path, content: 'x' } }],
    ] as const) {
      const outcome = await folders.perform(name, given);
      expect([name, outcome.status]).toEqual([name, 'error']);
      expect(JSON.stringify(outcome)).not.toContain(secret);
    }
    const found = await folders.perform('search', { query: 'secret', path });
    expect(JSON.stringify(found)).not.toContain(secret);
    expect((await folders.perform('list_files', { path })).status).toBe('error');
    expectOutsideUntouched();
  }

  function expectOutsideUntouched(): void {
    expect(readFileSync(join(folders.outside, 'secret.txt'), 'utf8')).toBe(secret);
    expect(readdirSync(folders.outside)).toEqual(['secret.txt']);
  }

  return { staysOut, expectOutsideUntouched };
}
