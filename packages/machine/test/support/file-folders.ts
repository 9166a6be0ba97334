import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Basis, OperationName, Outcome } from '@svc/contract/machine-protocol';
import { afterAll, beforeEach } from 'vitest';
import { createFileWork } from '../../src/files/file-work.ts';
import { hashKeyFile } from '../../src/state/state-folder.ts';

/** A shared folder, a folder beside it that is not shared, and the daemon's work on files. */
export interface FileFolders {
  root: string;
  outside: string;
  state: string;
  perform(
    name: OperationName,
    given: object,
    options?: { workdir?: string; basis?: Basis; id?: string },
  ): Promise<Outcome>;
  /** The value of an operation that must succeed. */
  value<Value>(name: OperationName, given: object, options?: { basis?: Basis; id?: string }): Promise<Value>;
  /** The message of an operation that must be refused. */
  refusal(name: OperationName, given: object, options?: { workdir?: string; basis?: Basis }): Promise<string>;
  /** Empties the shared folder and the one beside it. */
  reset(): void;
  close(): Promise<void>;
}

function openFileFolders(): FileFolders {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'svc-files-')));
  const [root, outside, state] = ['root', 'outside', 'state'].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  const reset = () => {
    for (const name of readdirSync(base))
      if (name !== 'state') rmSync(join(base, name), { recursive: true, force: true });
    for (const folder of [root, outside]) mkdirSync(folder);
  };
  mkdirSync(state);
  writeFileSync(join(state, hashKeyFile), randomUUID());
  reset();
  const work = createFileWork({ roots: [root], stateFolder: state });
  const perform: FileFolders['perform'] = (
    name,
    given,
    { workdir = root, id = randomUUID(), basis } = {},
  ) => {
    const operation = { id, name, workdir, arguments: { ...given }, ...(basis ? { basis } : {}) };
    return work.perform(operation, { signal: new AbortController().signal, onProgress: () => undefined });
  };
  return {
    root,
    outside,
    state,
    reset,
    perform,
    async value<Value>(name: OperationName, given: object, options?: { basis?: Basis; id?: string }) {
      const outcome = await perform(name, given, options);
      if (outcome.status !== 'ok') throw new Error(outcome.message);
      return outcome.value as Value;
    },
    async refusal(name, given, options) {
      const outcome = await perform(name, given, options);
      if (outcome.status !== 'error') throw new Error(`not refused: ${JSON.stringify(outcome)}`);
      return outcome.message;
    },
    async close() {
      await work.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** One process for all tests of a file; each test begins with empty folders. */
export function useFileFolders(): FileFolders {
  const folders = openFileFolders();
  beforeEach(() => folders.reset());
  afterAll(() => folders.close());
  return folders;
}
