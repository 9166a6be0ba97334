import type { CancelFrame, OperationFrame, ProgressFrame, ResultFrame } from '@svc/contract/machine-protocol';

/** A machine's daemon that is connected to this node. */
export interface MachineConnection {
  readonly machineId: string;
  readonly workspaceId: string;
  readonly connectionId: string;
  /** Of the daemon's stored state: only the same instance knows the operations that were sent before. */
  readonly instanceId: string;
  /** Frames to a connection that has closed are dropped, so `onClose` must be heeded. */
  send(frame: OperationFrame | CancelFrame): void;
}

export interface ConnectionListener {
  onFrame(connection: MachineConnection, frame: ProgressFrame | ResultFrame): void;
  /** The machine is connected here: it is registered in the database and can be sent operations. */
  onOpen(connection: MachineConnection): void;
  onClose(connection: MachineConnection): void;
}

/** The machines whose daemons are connected to this node, one connection each. */
export interface Connections {
  find(machineId: string): MachineConnection | undefined;
  /** Calls the listener until the returned function is called. */
  on(listener: ConnectionListener): () => void;
  /** Closes all connections because this node stops, and takes no more. */
  closeAll(): Promise<void>;
}

/**
 * PostgreSQL's notifications that a machine has connected, possibly to another node, or was revoked. The payload is the
 * machine's id.
 */
export const machineChangedChannel = 'svc_machine_changed';
