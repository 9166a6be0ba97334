import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { inMegabytes } from '../lib/in-megabytes.ts';
import { print, table } from './command-output.ts';

const folderArgument = 'the folder with the backups';

export function backupCommands(program: Command): void {
  program
    .command('backup')
    .description('write a backup of everything, beside a running service or without one')
    .argument('<folder>', `${folderArgument}; only what it does not have yet is written`)
    .option('--keep <number>', 'remove all but so many of the newest backups afterwards', parseCount)
    .option('--json', 'print one JSON document', false)
    .action(async (path: string, { keep, json }: { keep?: number; json: boolean }) => {
      const { runBackup } = await import('./run-backup.ts');
      const { manifest, ...written } = await runBackup(resolve(path), keep);
      const document = {
        ...toDocument(manifest),
        chunks: written.chunks,
        new_chunks: written.newChunks,
        new_bytes: written.newBytes,
        removed_backups: written.removedBackups,
      };
      print(
        json,
        document,
        `Wrote the backup ${manifest.id}: ${document.rows} rows, ${inMegabytes(document.bytes)}. The folder has grown by ${inMegabytes(written.newBytes)}.`,
      );
    });

  program
    .command('backups')
    .description('list the backups in a folder')
    .argument('<folder>', folderArgument)
    .option('--json', 'print one JSON document', false)
    .action(async (path: string, { json }: { json: boolean }) => {
      const { showBackups } = await import('./run-backup.ts');
      const documents = (await showBackups(resolve(path))).map(toDocument);
      const rows = documents.map((one) => [one.id, one.release, String(one.rows), inMegabytes(one.bytes)]);
      print(json, documents, table(['ID', 'RELEASE', 'ROWS', 'SIZE'], rows));
    });

  program
    .command('restore')
    .description('restore a backup into an empty database')
    .argument('<folder>', folderArgument)
    .option('--at <id or time>', 'a backup, or the newest one until then (default: the newest)')
    .option('--check', 'only read the backup, and report whether it is complete and unchanged', false)
    .option('--json', 'print one JSON document', false)
    .action(async (path: string, options: { at?: string; check: boolean; json: boolean }) => {
      const { runRestore } = await import('./run-restore.ts');
      const manifest = await runRestore(resolve(path), options);
      print(
        options.json,
        toDocument(manifest),
        `${options.check ? 'Complete and unchanged' : 'Restored'}: the backup ${manifest.id}.`,
      );
    });
}

/** What is shown of a backup. */
interface Shown {
  id: string;
  takenAt: string;
  release: string;
  tables: { rows: number; bytes: number }[];
}

function toDocument({ id, takenAt, release, tables }: Shown) {
  return {
    id,
    taken_at: takenAt,
    release,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

function parseCount(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count < 1) throw new InvalidArgumentError('Give a whole number from 1.');
  return count;
}
