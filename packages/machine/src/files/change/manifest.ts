import type { ChangedFiles } from '@svc/contract/machine-protocol';

/** Everything that is needed to find out how far a change came, and to take it back. */
export interface Manifest {
  version: 1;
  id: string;
  files: readonly ChangedFile[];
  /** Real paths of folders that the change creates, the outer ones first. */
  createdFolders: readonly string[];
  result: ChangedFiles;
}

export interface ChangedFile {
  /** Real. */
  path: string;
  /** As the model knows it. */
  shown: string;
  before: FileVersion | null;
  after: FileVersion | null;
  /** The name, beside the file, of its new content until it is in place. */
  temporary: string;
}

export interface FileVersion {
  hash: string;
  /** Null for what the machine gives new files. */
  mode: number | null;
  owner?: { user: number; group: number };
}
