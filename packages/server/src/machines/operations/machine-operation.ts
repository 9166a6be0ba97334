import {
  type Basis,
  changeNames,
  type OperationName,
  type Outcome,
  type RevertedFiles,
} from '@svc/contract/machine-protocol';

/** What is to be done on a machine, and for whom. */
export interface OperationRequest {
  /** A tool call's id for operations with effects, so that a repeated call is the same operation; otherwise a new id. */
  id: string;
  workspaceId: string;
  machineId: string;
  workdir: string;
  name: OperationName;
  arguments: Record<string, unknown>;
  basis?: Basis;
  /** A person's approval of exactly this. */
  approval?: { id: string; by: string };
  botId: string | undefined;
  /** Undefined when a tool is tested. */
  conversationId: string | undefined;
  /** How long the operation itself may take. */
  timeLimitMs: number;
}

export interface OperationRun {
  /** Aborting it cancels the operation, unless its turn only continues elsewhere (`ContinuesElsewhere`). */
  signal: AbortSignal;
  onProgress(text: string): void;
}

export interface RevertedFile {
  /** The operation that changed it. */
  operationId: string;
  machineId: string;
  path: string;
  status: RevertedFiles['files'][number]['outcome'];
  reason?: string;
}

/** The caller that wants changes reverted. */
export interface Reverter {
  by: string;
  /** Throws FORBIDDEN unless they may use the machine. */
  requireUse(machineId: string): Promise<void>;
}

/** Work on paired machines, on whichever nodes they are connected to. */
export interface Operations {
  /**
   * Has one operation carried out: at most once, however often it is requested with the same id. Throws NOT_FOUND for a
   * machine that is unknown or revoked, and MACHINE_OFFLINE if it does not connect in time to receive the operation. If it may
   * have received it and does not report what came of it, the outcome is `unknown`.
   */
  perform(request: OperationRequest, run: OperationRun): Promise<Outcome>;
  /** Cancels those of the operations that still run. Operations that were never recorded are ignored. */
  cancel(workspaceId: string, operationIds: readonly string[]): Promise<void>;
  /**
   * The real path of a directory on the machine, or why the machine does not allow work there. Throws NOT_FOUND and
   * MACHINE_OFFLINE as `perform` does.
   */
  checkWorkdir(
    workspaceId: string,
    machineId: string,
    workdir: string,
    botId?: string,
  ): Promise<{ workdir: string } | { refused: string }>;
  /**
   * Restores the files that these operations changed, which must be sorted newest first. Throws MACHINE_OFFLINE before
   * anything is restored, unless all machines that made changes are connected. Repeating it is harmless.
   */
  revert(workspaceId: string, operationIds: readonly string[], person: Reverter): Promise<RevertedFile[]>;
}

/** Whether it changes something on the machine, so that it must never be carried out twice. */
export function hasEffects(name: OperationName): boolean {
  return name === 'run_command' || changeNames.some((change) => change === name);
}
