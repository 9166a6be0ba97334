import type { Feature, Services } from '../services.ts';
import { createConnections, type MachineConnection } from './machine-connections.ts';
import { machineRoutes } from './machines.routes.ts';
import { createMachineService } from './machines.service.ts';
import { machineChangedChannel } from './machines.store.ts';
import { createOperations } from './operations/create-operations.ts';

/** Wires paired machines together. */
export function openMachines({
  database,
  bots,
  nodeCommands,
  presence,
  noteChange,
  log,
}: Pick<Services, 'bots' | 'database' | 'log' | 'nodeCommands' | 'noteChange' | 'presence'>): Feature<
  Pick<Services, 'machines'>
> & {
  /** Call when turns have ended: daemons connect to other nodes. */
  disconnect(): Promise<void>;
} {
  const { nodeId } = presence;
  const connections = createConnections({ database, nodeId, log });
  const note = ({ workspaceId, machineId }: MachineConnection) =>
    noteChange(workspaceId, 'machine', machineId);
  connections.on({ onOpen: note, onClose: note, onFrame: () => undefined });
  const nameOfBot = async (workspaceId: string, botId: string) =>
    (await bots.recall(workspaceId, botId, false)).bot.name;
  const operations = createOperations({ database, connections, nameOfBot, nodeCommands, presence, log });
  return {
    services: { machines: createMachineService({ database, connections, operations }) },
    routes: [machineRoutes],
    notifications: {
      [machineChangedChannel](machineId) {
        connections.check(machineId);
        operations.onMachineChanged(machineId);
      },
    },
    setListening(isListening) {
      connections.setListening(isListening);
      if (isListening) operations.onListening();
    },
    async disconnect() {
      await operations.close();
      await connections.closeAll();
    },
  };
}
