import {
  type Basis,
  changeNames,
  type OperationName,
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
  /** Where spans of the operation belong; undefined without telemetry. */
  traceParent?: string;
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

/** Whether it changes something on the machine, so that it must never be carried out twice. */
export function hasEffects(name: OperationName): boolean {
  return name === 'run_command' || name === 'start_process' || changeNames.some((change) => change === name);
}
