import type { BackupFolder } from './backup-folder.ts';
import { isBackupId, type Manifest, type TableBackup } from './manifest.ts';

/** How many chunks are read ahead while PostgreSQL stores one. */
const readAhead = 3;

/** The backup with this id, or the newest one until this time; the newest of all if neither is given. */
export async function findBackup(
  folder: BackupFolder,
  at: string | undefined,
  onProgress: (text: string) => void,
): Promise<Manifest> {
  if (at !== undefined && isBackupId(at)) return folder.readManifest(at);
  const until = at === undefined ? Number.POSITIVE_INFINITY : Date.parse(at);
  if (Number.isNaN(until))
    throw new Error('--at must be the id of a backup or a time such as 2026-11-18T04:00:00Z.');
  const manifests = await listBackups(folder, onProgress);
  const found = manifests.findLast(({ takenAt }) => Date.parse(takenAt) <= until);
  if (found) return found;
  const [first] = manifests;
  throw new Error(
    first
      ? `The first backup in ${folder.root} is of ${first.takenAt}.`
      : `There is no backup in ${folder.root}.`,
  );
}

/** The backups that can be read, oldest first. What is wrong with others is only reported. */
export async function listBackups(
  folder: BackupFolder,
  onProgress: (text: string) => void,
): Promise<Manifest[]> {
  const { manifests, problems } = await folder.list();
  for (const { message } of problems) onProgress(`Left out: ${message}`);
  return manifests;
}

/** The rows of a table, in PostgreSQL's text format. Throws at the first chunk that is missing or was changed. */
export async function* readRows(folder: BackupFolder, { chunks }: TableBackup): AsyncGenerator<Buffer> {
  const reading: Promise<Buffer>[] = [];
  for (const [index] of chunks.entries()) {
    while (reading.length <= readAhead && index + reading.length < chunks.length) {
      const [name = ''] = chunks[index + reading.length] ?? [];
      const chunk = folder.readChunk(name);
      // It is reported when it is its turn.
      chunk.catch(() => undefined);
      reading.push(chunk);
    }
    const next = reading.shift();
    if (next) yield await next;
  }
}

/** Reads all chunks of a backup, as restoring it would. */
export async function checkBackup(folder: BackupFolder, { id, tables }: Manifest): Promise<void> {
  for (const table of tables) {
    let bytes = 0;
    for await (const chunk of readRows(folder, table)) bytes += chunk.length;
    if (bytes !== table.bytes) throw new Error(`The backup ${id} is damaged: ${table.name} is not complete.`);
  }
}
