import type { BotService } from '../bots/bots.service.ts';
import type { Database } from '../database/database.ts';
import type { NoteChange } from '../events/workspace-changes.ts';
import type { Log } from '../lib/log.ts';
import type { Presence } from '../nodes/presence.ts';
import { createConnections, type MachineConnection } from './machine-connections.ts';
import { createMachineService, type MachineService } from './machines.service.ts';
import { machineChangedChannel } from './machines.store.ts';
import { createOperations } from './operations/create-operations.ts';

export interface OpenMachinesOptions {
  database: Database;
  bots: Pick<BotService, 'recall'>;
  presence: Pick<Presence, 'nodeId' | 'hasLapsed'>;
  noteChange: NoteChange;
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
export function openMachines({
  database,
  bots,
  presence,
  noteChange,
  log,
}: OpenMachinesOptions): OpenedMachines {
  const { nodeId } = presence;
  const connections = createConnections({ database, nodeId, log });
  const note = ({ workspaceId, machineId }: MachineConnection) =>
    noteChange(workspaceId, 'machine', machineId);
  connections.on({ onOpen: note, onClose: note, onFrame: () => undefined });
  const nameOfBot = async (workspaceId: string, botId: string) =>
    (await bots.recall(workspaceId, botId, false)).bot.name;
  const operations = createOperations({ database, connections, nameOfBot, presence, log });
  return {
    service: createMachineService({ database, connections, operations }),
    notifications: {
      ...operations.notifications,
      [machineChangedChannel](machineId) {
        connections.check(machineId);
        operations.onMachineChanged(machineId);
      },
    },
    setListening(isListening) {
      connections.setListening(isListening);
      if (isListening) operations.onListening();
    },
    async stop() {
      await operations.close();
      await connections.closeAll();
    },
  };
}
