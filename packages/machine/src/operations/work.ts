import type { Basis, OperationName, Outcome } from '@svc/contract/machine-protocol';

/** What this machine can do for a bot. Arguments have been checked against the schema of the operation's name. */
export interface Work {
  /** Never called twice for one id. Failures that the model should read about are outcomes, not exceptions. */
  perform(operation: Operation, run: WorkRun): Promise<Outcome>;
  /** After a crash: what became of an operation that was started and not finished. */
  recover(operation: { id: string; name: OperationName }): Promise<Outcome>;
  close(): Promise<void>;
}

export interface Operation {
  id: string;
  name: OperationName;
  workdir: string;
  arguments: Record<string, unknown>;
  basis?: Basis;
  /** For whom it is done; null if that is not a conversation. */
  conversationId?: string | null;
  /** A person has agreed to exactly this operation. */
  isApproved?: boolean;
}

export interface WorkRun {
  /** Aborted when the operation is cancelled or the daemon stops; `perform` still reports what became of it. */
  signal: AbortSignal;
  onProgress(text: string): void;
}
