import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BackupFolder, openBackupFolder } from '../../src/database/backup/backup-folder.ts';
import { type BackupKey, createBackupKey } from '../../src/database/backup/backup-key.ts';
import { findBackup } from '../../src/database/backup/read-backup.ts';
import { restoreBackup } from '../../src/database/backup/restore-backup.ts';
import { type WrittenBackup, writeBackup } from '../../src/database/backup/write-backup.ts';
import { jobTablesOf } from '../../src/jobs/job-tables.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

/** A folder for backups, with a key. */
export interface BackupStage {
  path: string;
  /** As in SVC_BACKUP_KEY. */
  keyText: string;
  key: BackupKey;
  folder: BackupFolder;
  write(source: Pick<TestDatabase, 'database' | 'encryptionKey'>, keep?: number): Promise<WrittenBackup>;
  /** Restores into a new database, which is dropped with the stage. */
  restore(at?: string): Promise<TestDatabase>;
  /** Restores into this database. */
  restoreInto(target: Pick<TestDatabase, 'database'>, at?: string): Promise<void>;
  remove(): Promise<void>;
}

export async function openBackupStage(): Promise<BackupStage> {
  const path = await mkdtemp(join(tmpdir(), 'svc-backup-'));
  const keyBytes = randomBytes(32);
  const key = createBackupKey(keyBytes);
  const folder = openBackupFolder(path, key);
  const targets: TestDatabase[] = [];
  const onProgress = () => undefined;

  async function restoreInto({ database }: Pick<TestDatabase, 'database'>, at?: string): Promise<void> {
    const manifest = await findBackup(folder, at, onProgress);
    await restoreBackup({ database, folder, key, manifest, jobTablesOf, onProgress });
  }

  return {
    path,
    keyText: keyBytes.toString('base64'),
    key,
    folder,
    write: ({ database, encryptionKey }, keep) =>
      writeBackup({ database, keyRing: createKeyRing(encryptionKey), folder, key, keep, onProgress }),
    async restore(at) {
      const target = await createTestDatabase({ migrated: false });
      targets.push(target);
      await restoreInto(target, at);
      return target;
    },
    restoreInto,
    async remove() {
      for (const target of targets) await target.drop();
      await rm(path, { recursive: true });
    },
  };
}
