import { recordChange } from '../../audit/audit.service.ts';
import type { Transaction } from '../../database/database.ts';
import { notFound } from '../../lib/app-error.ts';
import type { Services } from '../../services.ts';
import { erasureStore, type UserConversations } from './conversation-erasure.store.ts';

export { erasedChannel } from './conversation-erasure.store.ts';
export type ConversationErasure = ReturnType<typeof createConversationErasure>;

/** Small enough for a short transaction and for one notification. */
const batchSize = 50;

/** Deletes conversations with everything that belongs to them. What they cost stays, without a name. */
export function createConversationErasure({ database, billing }: Pick<Services, 'billing' | 'database'>) {
  return {
    /** The conversations that a user has at the moment: later ones are not meant. */
    findAll: (workspaceId: string, externalUserId: string): Promise<UserConversations> =>
      erasureStore.findAll(database.within(workspaceId), workspaceId, externalUserId),

    /** The oldest of those that are not deleted yet. Most have a turn that must end first. */
    listLeft: (workspaceId: string, wanted: UserConversations, limit: number): Promise<string[]> =>
      erasureStore.listLeft(database.within(workspaceId), workspaceId, wanted, limit),

    /** Deletes one conversation unless it has an open turn. Throws NOT_FOUND if there is none. */
    deleteOne(workspaceId: string, conversationId: string): Promise<'deleted' | 'busy'> {
      return database.within(workspaceId).transaction(async (tx) => {
        const status = await erasureStore.lock(tx, workspaceId, conversationId);
        if (!status) throw notFound();
        if (status !== 'idle') return 'busy';
        await billing.anonymize(tx, workspaceId, [conversationId]);
        await erasureStore.delete(tx, workspaceId, [conversationId]);
        await recordChange(tx, workspaceId, {
          action: 'conversation.deleted',
          object: { id: conversationId },
        });
        return 'deleted';
      });
    },

    /** For the erasure of a person who had no conversations. */
    recordNothingErased: (workspaceId: string): Promise<void> =>
      database.within(workspaceId).transaction((tx) => recordErasure(tx, workspaceId, 0)),

    /** Deletes those without an open turn and returns how many there were. Some can be left if others change them meanwhile. */
    async deleteIdle(workspaceId: string, wanted: UserConversations): Promise<number> {
      let deleted = 0;
      for (;;) {
        const ids = await database.within(workspaceId).transaction(async (tx) => {
          const locked = await erasureStore.lockIdle(tx, workspaceId, wanted, batchSize);
          if (locked.length === 0) return locked;
          // Whatever was still being written about these conversations is stored by now: see `insertUsage`.
          await billing.anonymize(tx, workspaceId, locked);
          await erasureStore.delete(tx, workspaceId, locked);
          await recordErasure(tx, workspaceId, locked.length);
          return locked;
        });
        deleted += ids.length;
        if (ids.length === 0) return deleted;
      }
    },
  };
}

/** Whose conversations they were is not recorded. */
function recordErasure(tx: Transaction, workspaceId: string, deleted: number): Promise<void> {
  return recordChange(tx, workspaceId, {
    action: 'end_user.erased',
    object: { id: null },
    changes: [{ field: 'deleted_conversations', before: null, after: deleted }],
  });
}
