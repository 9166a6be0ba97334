import type { BotRow } from '../bots/bots.service.ts';
import type { CommandServices } from './with-services.ts';

/** A bot of any workspace: an operator may see all of them. */
export async function findBotRow({ database, workspaces }: CommandServices, botId: string): Promise<BotRow> {
  const { botStore } = await import('../bots/bots.store.ts');
  for (const { id } of await workspaces.list()) {
    const row = await botStore.find(database.within(id), id, botId);
    if (row) return row;
  }
  throw new Error('There is no bot with this id.');
}
