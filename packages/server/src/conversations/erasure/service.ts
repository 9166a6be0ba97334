import type { BillingService } from '../../billing/service.ts';
import type { Database } from '../../database/database.ts';
import { erasureStore, type UserConversations } from './store.ts';

export { erasedChannel } from './store.ts';

export interface ConversationErasureDependencies {
  database: Database;
  billing: Pick<BillingService, 'anonymize'>;
}

export type ConversationErasure = ReturnType<typeof createConversationErasure>;

/** Small enough for a short transaction and for one notification. */
const batchSize = 50;

/** Deletes the conversations of a user with everything that belongs to them. What they cost stays, for nobody in particular. */
export function createConversationErasure({ database, billing }: ConversationErasureDependencies) {
  return {
    /** The conversations that a user has at the moment: later ones are not meant. */
    findAll: (workspaceId: string, externalUserId: string): Promise<UserConversations> =>
      erasureStore.findAll(database.query, workspaceId, externalUserId),

    /** The oldest of those that are not deleted yet. Most have a turn that must end first. */
    listLeft: (workspaceId: string, wanted: UserConversations, limit: number): Promise<string[]> =>
      erasureStore.listLeft(database.query, workspaceId, wanted, limit),

    /** Deletes those without an open turn and returns how many there were. Some can be left if others change them meanwhile. */
    async deleteIdle(workspaceId: string, wanted: UserConversations): Promise<number> {
      let deleted = 0;
      for (;;) {
        const ids = await database.transaction(async (tx) => {
          const locked = await erasureStore.lockIdle(tx, workspaceId, wanted, batchSize);
          if (locked.length === 0) return locked;
          // Whatever was still being written about these conversations is stored by now: see `insertUsage`.
          await billing.anonymize(tx, workspaceId, locked);
          await erasureStore.delete(tx, workspaceId, locked);
          return locked;
        });
        deleted += ids.length;
        if (ids.length === 0) return deleted;
      }
    },
  };
}
