import type { Database } from '../../database/database.ts';
import type { Connections } from '../machine-connections.ts';
import type { MachineLocation } from './decide-next.ts';
import { operationStore } from './machine-operations.store.ts';

export interface Sighting {
  workspaceId: string;
  /** Undefined if the machine is not connected. */
  location: MachineLocation | undefined;
}

export type Locator = ReturnType<typeof createLocator>;

export function createLocator(connections: Pick<Connections, 'find'>, database: Database, nodeId: string) {
  /** A machine that is connected to this node, without asking the database. */
  function here(machineId: string): Sighting | undefined {
    const connection = connections.find(machineId);
    if (!connection) return undefined;
    const { workspaceId, connectionId, instanceId } = connection;
    return { workspaceId, location: { nodeId, connectionId, instanceId, isHere: true } };
  }

  return {
    here,
    /** Machines wherever they are connected; without those that are unknown or revoked. */
    async everywhere(machineIds: Iterable<string>): Promise<Map<string, Sighting>> {
      const ids = [...new Set(machineIds)];
      const seenHere = new Map(ids.map((id) => [id, here(id)]));
      const elsewhere = ids.filter((id) => !seenHere.get(id));
      const rows =
        elsewhere.length > 0
          ? await operationStore.locateAcrossWorkspaces(database.acrossWorkspaces, elsewhere)
          : [];
      const found = new Map<string, Sighting>();
      for (const { machineId, workspaceId, ...row } of rows) {
        const { nodeId: node, connectionId, instanceId } = row;
        // A connection to this node that is still stored is closed by now.
        const isConnected = node !== null && node !== nodeId && connectionId !== null && instanceId !== null;
        const location = isConnected ? { nodeId: node, connectionId, instanceId, isHere: false } : undefined;
        found.set(machineId, { workspaceId, location });
      }
      for (const machineId of ids) {
        const earlier = seenHere.get(machineId);
        // One that has disconnected meanwhile was not looked up, and is still paired.
        const sighting = here(machineId) ?? (earlier && { ...earlier, location: undefined });
        if (sighting) found.set(machineId, sighting);
      }
      return found;
    },
  };
}
