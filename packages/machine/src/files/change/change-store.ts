import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RevertedFiles } from '@svc/contract/machine-protocol';
import { codeOf, Refusal } from '../../confine/refusal.ts';
import { syncFolder, writeNew, writeWhole } from './durable.ts';
import type { Manifest } from './manifest.ts';

export type ChangeStore = ReturnType<typeof createChangeStore>;

export interface ChangeEnd {
  isDone: boolean;
  /** Why the change was taken back, if it is not done. */
  reason: string;
}

const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Old contents and manifests of changes: `changes/<id>/` in the state folder. */
export function createChangeStore(stateFolder: string) {
  const changes = join(stateFolder, 'changes');
  const fileOf = (id: string, name: string) => {
    if (!idPattern.test(id)) throw new Refusal('The id of the operation is not valid.');
    return join(changes, id.toLowerCase(), name);
  };

  return {
    /** Saves old contents (null where there is none) and then the manifest; from then on files may change. */
    begin(manifest: Manifest, oldContents: readonly (Uint8Array | null)[], beforeStep: () => void): void {
      const folder = fileOf(manifest.id, '.');
      beforeStep();
      // A folder without a manifest is left over from a crash before anything was changed.
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      oldContents.forEach((content, index) => {
        if (content === null) return;
        beforeStep();
        writeNew(fileOf(manifest.id, String(index)), content);
      });
      beforeStep();
      syncFolder(changes);
      writeWhole(fileOf(manifest.id, 'manifest.json'), JSON.stringify(manifest));
    },
    find: (id: string): Manifest | undefined => readJson(fileOf(id, 'manifest.json')) as Manifest | undefined,
    /** Undefined once it is older than old contents are kept. */
    oldContent: (id: string, index: number): Buffer | undefined => readIfThere(fileOf(id, String(index))),
    endOf: (id: string): ChangeEnd | undefined => readJson(fileOf(id, 'end.json')) as ChangeEnd | undefined,
    end(id: string, end: ChangeEnd): void {
      try {
        writeWhole(fileOf(id, 'end.json'), JSON.stringify(end));
      } catch (error) {
        // The files are as they should be: without the note, recovering finds that out from their content.
        if (!codeOf(error)?.startsWith('E')) throw error;
      }
    },
    /** What a revert of the change did, if it came to its end. */
    revertOf: (id: string): RevertedFiles['files'] | undefined =>
      readJson(fileOf(id, 'revert.json')) as RevertedFiles['files'] | undefined,
    endRevert: (id: string, files: RevertedFiles['files']) =>
      writeWhole(fileOf(id, 'revert.json'), JSON.stringify(files)),
    forget(id: string): void {
      if (existsSync(fileOf(id, 'manifest.json')))
        throw new Error('A change with a manifest is not forgotten.');
      rmSync(fileOf(id, '.'), { recursive: true, force: true });
    },
  };
}

function readJson(file: string): unknown {
  const bytes = readIfThere(file);
  return bytes && JSON.parse(bytes.toString());
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
