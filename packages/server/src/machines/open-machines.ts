import type { Feature, Ground, Services } from '../services.ts';
import { createConnections, type MachineConnection } from './machine-connections.ts';
import { machineRoutes } from './machines.routes.ts';
import { createMachineService } from './machines.service.ts';
import { machineChangedChannel } from './machines.store.ts';
import { createOperations } from './operations/create-operations.ts';
import type { NoteOutcome } from './operations/late-outcomes.ts';

/** Wires paired machines together. */
export function openMachines(
  services: Ground & Pick<Services, 'bots'> & { noteOutcome: NoteOutcome },
): Feature<Pick<Services, 'machines'>> & {
  /** Call when turns have ended: daemons connect to other nodes. */
  disconnect(): Promise<void>;
} {
  const { bots, noteChange } = services;
  const connections = createConnections(services);
  const note = ({ workspaceId, machineId }: MachineConnection) =>
    noteChange(workspaceId, 'machine', machineId);
  connections.on({ onOpen: note, onClose: note, onFrame: () => undefined });
  const nameOfBot = async (workspaceId: string, botId: string) =>
    (await bots.recall(workspaceId, botId, false)).bot.name;
  const operations = createOperations({ ...services, connections, nameOfBot });
  return {
    services: { machines: createMachineService({ ...services, connections, operations }) },
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
