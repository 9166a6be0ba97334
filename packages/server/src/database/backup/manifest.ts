/** Raised when a program of an earlier release could not read a backup any more. */
export const manifestFormat = 1;

/** A chunk's name, and the size of its file. */
export type ChunkReference = readonly [name: string, fileBytes: number];

export interface TableBackup {
  /** With its schema, such as `public.bots`. */
  name: string;
  columns: string[];
  /** How its rows are sorted, as SQL. */
  order: string;
  rows: number;
  bytes: number;
  /** Its rows in PostgreSQL's text format. Names are hashes of the content, so that equal lists mean equal rows. */
  chunks: ChunkReference[];
}

/** One backup: everything but the chunks themselves. */
export interface Manifest {
  format: number;
  id: string;
  takenAt: string;
  /** The version of svc that wrote it. */
  release: string;
  serverVersion: string;
  /** Of the installation's encryption keys that open all secrets in it: several while they were being rotated. */
  encryptionKeyIds: string[];
  migrations: string[];
  /** Of pg-boss's tables; null if there were none. */
  jobsVersion: number | null;
  tables: TableBackup[];
}

/** Unique and sorted by time. */
export function backupIdAt(time: Date): string {
  return time.toISOString().replaceAll(/[:.]/g, '-');
}

export const isBackupId = (name: string): boolean => /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/.test(name);
