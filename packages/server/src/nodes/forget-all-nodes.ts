import type { Database } from '../database/database.ts';
import { nodes } from './tables.ts';

/** For a database that only we use: whatever was running there before is gone, and its work can be taken over at once. */
export async function forgetAllNodes(database: Database): Promise<void> {
  await database.acrossWorkspaces.delete(nodes);
}
