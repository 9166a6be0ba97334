import type { FoundObject } from '@svc/contract/console-conversations';
import type { Database } from '../../database/database.ts';
import { notFound } from '../../lib/app-error.ts';
import { findStore } from './console-find.store.ts';

export type FindService = ReturnType<typeof createFindService>;

/** Tells what an id belongs to that somebody has pasted. */
export function createFindService({ database }: { database: Database }) {
  return {
    async find(workspaceId: string, id: string): Promise<FoundObject> {
      const found = await findStore.find(database.within(workspaceId), workspaceId, id);
      if (!found) throw notFound();
      const { type, title, conversation_id, message_id, turn_id, bot_id } = found;
      return {
        type,
        id: found.id,
        title,
        ...(conversation_id && { conversation_id }),
        ...(message_id && { message_id }),
        ...(turn_id && { turn_id }),
        ...(bot_id && { bot_id }),
      };
    },
  };
}
