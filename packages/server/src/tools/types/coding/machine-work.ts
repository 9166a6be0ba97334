import type { Basis, OperationName, Outcome } from '@svc/contract/machine-protocol';

/** Work on a paired machine, as the machines feature does it. */
export interface MachineWork {
  /**
   * Has one operation carried out, on whichever node the machine is connected to. An operation with the same id is carried out
   * at most once. Throws FORBIDDEN unless the person and the bot may use the machine, NOT_FOUND for a machine that is unknown or revoked, and MACHINE_OFFLINE if it does not connect in time
   * to receive the operation, which is 15 seconds unless `connectMs` says otherwise; if it received it and cannot be asked for the outcome, the outcome is `unknown`.
   */
  perform(request: MachineRequest, run: MachineRun, connectMs?: number): Promise<Outcome>;
  /**
   * The name that people gave the machine. Throws NOT_FOUND if it is unknown or revoked, and FORBIDDEN unless its owner has
   * allowed the person and the bot.
   */
  requireUse(
    workspaceId: string,
    machineId: string,
    user: { callerId: string | undefined; botId: string | undefined },
  ): Promise<{ name: string }>;
}

export interface MachineRequest {
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
  /** The member or account key that it is done for. */
  callerId: string | undefined;
  botId: string | undefined;
  conversationId: string | undefined;
  /** How long the operation itself may take. */
  timeLimitMs: number;
}

export interface MachineRun {
  /** Aborting it cancels the operation, unless its turn only continues elsewhere (`ContinuesElsewhere`). */
  signal: AbortSignal;
  onProgress(text: string): void;
}
