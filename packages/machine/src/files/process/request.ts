import type { Outcome } from '@svc/contract/machine-protocol';
import type { Operation } from '../../operations/work.ts';

/** What the daemon sends to the process that works on files, one at a time. */
export type FileRequest =
  | { kind: 'perform'; operation: Operation }
  | { kind: 'recover'; operation: Pick<Operation, 'id' | 'name'> };

export interface FileReply {
  outcome: Outcome;
  /** The process was interrupted in the middle of something and must not be used again. */
  isLast: boolean;
}

/** Given to the process when it is started. */
export interface FileWorkerOptions {
  /** Real paths. */
  roots: readonly string[];
  stateFolder: string;
  /** Only one process at a time may be allowed to. */
  makesChanges: boolean;
  /** The daemon; the process ends with it. */
  parentId: number;
}
