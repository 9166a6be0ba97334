import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, readConfig } from '../config/config.ts';
import { openBackupFolder } from '../database/backup/backup-folder.ts';
import type { Manifest } from '../database/backup/manifest.ts';
import { checkBackup, findBackup } from '../database/backup/read-backup.ts';
import { checkEncryptionKeys, restoreBackup } from '../database/backup/restore-backup.ts';
import { openKeys } from '../database/open-configured-database.ts';
import { jobTablesOf } from '../jobs/job-tables.ts';
import { onProgress, openUnchanged, requireBackupKey } from './run-backup.ts';

/** Restores a backup of the folder into the configured database, or only reads all of it. */
export async function runRestore(
  path: string,
  { at, check }: { at?: string; check: boolean },
): Promise<Manifest> {
  const config = readConfig();
  const key = requireBackupKey(config);
  const folder = openBackupFolder(path, key);
  const manifest = await findBackup(folder, at, onProgress);
  if (check) {
    await checkBackup(folder, manifest);
    return manifest;
  }
  requireEncryptionKey(config);
  checkEncryptionKeys(manifest, (await openKeys(config)).keyRing);
  const { database, close } = await openUnchanged(config);
  try {
    await restoreBackup({ database, folder, key, manifest, jobTablesOf, onProgress });
    return manifest;
  } finally {
    await close();
  }
}

/** Otherwise a new key would be generated, which fits no backup. */
function requireEncryptionKey({ encryptionKey, dataDirectory }: Config): void {
  const path = join(dataDirectory, 'encryption-key');
  if (encryptionKey || existsSync(path)) return;
  throw new Error(
    `The encryption key of the installation that was backed up is needed too: set SVC_ENCRYPTION_KEY, or copy its file encryption-key to ${path}.`,
  );
}
