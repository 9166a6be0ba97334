import type { Database } from '../database/database.ts';
import { eq } from '../database/drizzle.ts';
import { nodes } from './nodes.tables.ts';

/** For a database that only we use: whatever was running there before is gone, and its work can be taken over at once. */
export async function forgetAllNodes(database: Database): Promise<void> {
  await database.acrossWorkspaces.delete(nodes);
}

/** For a node whose process has ended. */
export async function forgetNode(database: Database, nodeId: string): Promise<void> {
  await database.urgent.delete(nodes).where(eq(nodes.id, nodeId));
}
