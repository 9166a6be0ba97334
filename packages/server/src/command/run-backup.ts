import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, readConfig } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { openBackupFolder } from '../database/backup/backup-folder.ts';
import { type BackupKey, createBackupKey } from '../database/backup/backup-key.ts';
import type { Manifest } from '../database/backup/manifest.ts';
import { listBackups } from '../database/backup/read-backup.ts';
import { type WrittenBackup, writeBackup } from '../database/backup/write-backup.ts';
import { type OpenedDatabase, openConfiguredDatabase } from '../database/open-configured-database.ts';

/** Writes a backup into the folder. */
export async function runBackup(path: string, keep: number | undefined): Promise<WrittenBackup> {
  const config = readConfig();
  const key = requireBackupKey(config);
  requireInstallation(config);
  const opened = await openUnchanged(config);
  try {
    return await writeBackup({ ...opened, folder: openBackupFolder(path, key), key, keep, onProgress });
  } finally {
    await opened.close();
  }
}

/** Otherwise the database or a key would be created, for example in a wrong folder. */
function requireInstallation({ databaseUrl, dataDirectory, encryptionKey }: Config): void {
  if (databaseUrl) return;
  const needed = ['postgres/PG_VERSION', ...(encryptionKey ? [] : ['encryption-key'])];
  const missing = needed.find((name) => !existsSync(join(dataDirectory, name)));
  if (missing === undefined) return;
  throw new ConfigError(
    `There is nothing to back up: ${join(dataDirectory, missing)} is not there, or this user cannot see it. Set DATABASE_URL, or SVC_DATA_DIR, as for the service.`,
  );
}

export function showBackups(path: string): Promise<Manifest[]> {
  return listBackups(openBackupFolder(path, requireBackupKey(readConfig())), onProgress);
}

/** The configured database as it is: a backup must not migrate it. */
export function openUnchanged(config: Config): Promise<OpenedDatabase> {
  return openConfiguredDatabase({
    config,
    role: 'command',
    migrates: false,
    onProgress,
    onConnectionError: (error) => onProgress(error.message),
  });
}

export function requireBackupKey({ backupKey }: Config): BackupKey {
  if (backupKey) return createBackupKey(backupKey);
  throw new ConfigError(
    'SVC_BACKUP_KEY is required: 32 random bytes as base64, for example from `openssl rand -base64 32`. Keep it apart from the backups, which are useless without it.',
  );
}

export function onProgress(text: string): void {
  process.stderr.write(`${text}\n`);
}
