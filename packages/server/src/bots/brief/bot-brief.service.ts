import type { Database } from '../../database/database.ts';
import { type BriefBot, botStore } from '../bots.store.ts';

export type { BriefBot } from '../bots.store.ts';

/** The workspace's agents by name, without their texts. */
export function listAgents(database: Database, workspaceId: string, limit: number): Promise<BriefBot[]> {
  return botStore.listBrief(database.within(workspaceId), workspaceId, { limit });
}

/** The names of these bots, by id. */
export async function namesOfBots(
  database: Database,
  workspaceId: string,
  botIds: Iterable<string>,
): Promise<Map<string, string>> {
  const ids = [...new Set(botIds)];
  if (ids.length === 0) return new Map();
  const rows = await botStore.listBrief(database.within(workspaceId), workspaceId, {
    ids,
    limit: ids.length,
  });
  return new Map(rows.map(({ id, name }) => [id, name]));
}
