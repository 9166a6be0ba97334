import { expect, it } from 'vitest';
import { newId } from '../../src/lib/new-id.ts';
import type { MachineConnection } from '../../src/machines/machine-connections.ts';
import { createLocator } from '../../src/machines/operations/locate-machines.ts';
import { createTestDatabase } from '../support/test-database.ts';

it('knows that a machine is still paired that disconnects while others are looked up', async () => {
  const { database, drop } = await createTestDatabase();
  const machineId = newId();
  const connection = { machineId, workspaceId: 'w', connectionId: 'c', instanceId: 'i' } as MachineConnection;
  const open = new Map([[machineId, connection]]);
  const connections = {
    find: (id: string) => open.get(id),
    on: () => () => undefined,
    closeAll: async () => undefined,
  };
  const locator = createLocator(connections, database, 'n');
  const sightings = locator.everywhere([machineId, newId()]);
  open.clear();
  expect(await sightings).toEqual(new Map([[machineId, { workspaceId: 'w', location: undefined }]]));
  await drop();
});
