import type { Database } from '../database/database.ts';
import type { Log } from '../log.ts';
import { createConnections } from './connections.ts';
import { createMachineService, type MachineService } from './service.ts';
import { machineChangedChannel } from './store.ts';

export interface OpenMachinesOptions {
  database: Database;
  nodeId: string;
  log: Log;
}

export interface OpenedMachines {
  service: MachineService;
  /** Handlers of PostgreSQL's notifications. */
  notifications: Record<string, (payload: string) => void>;
  /** Call when notifications start or stop arriving. */
  setListening(isListening: boolean): void;
  /** Call when turns have ended: daemons connect to other nodes. */
  stop(): Promise<void>;
}

/** Wires paired machines together. */
export function openMachines({ database, nodeId, log }: OpenMachinesOptions): OpenedMachines {
  const connections = createConnections({ database, nodeId, log });
  return {
    service: createMachineService({ database, connections }),
    notifications: { [machineChangedChannel]: connections.check },
    setListening: connections.setListening,
    stop: connections.closeAll,
  };
}
