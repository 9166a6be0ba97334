import { recordChange } from '../../audit/audit.service.ts';
import type { Transaction } from '../../database/database.ts';
import { findNoHold, requireNoHold } from '../../legal-holds/legal-holds.service.ts';
import { notFound } from '../../lib/app-error.ts';
import type { Services } from '../../services.ts';
import { detailsStore } from '../details/end-user-details.store.ts';
import { erasureStore, type UserConversations } from './conversation-erasure.store.ts';

export { erasedChannel } from './conversation-erasure.store.ts';
export type ConversationErasure = ReturnType<typeof createConversationErasure>;

/** Small enough for a short transaction and for one notification. */
const batchSize = 50;

/** Deletes conversations with everything that belongs to them. What they cost stays, without a name. */
export function createConversationErasure({ database, billing }: Pick<Services, 'billing' | 'database'>) {
  /** Whatever was still being written about locked conversations is stored by now: see `insertUsage`. */
  async function deleteLocked(tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<void> {
    await billing.anonymize(tx, workspaceId, ids);
    await erasureStore.delete(tx, workspaceId, ids);
  }

  return {
    /** The conversations that a user has at the moment: later ones are not meant. */
    findAll: (workspaceId: string, externalUserId: string): Promise<UserConversations> =>
      erasureStore.findAll(database.within(workspaceId), workspaceId, externalUserId),

    /** The oldest of those that are not deleted yet. Most have a turn that must end first. */
    listLeft: (workspaceId: string, wanted: UserConversations, limit: number): Promise<string[]> =>
      erasureStore.listLeft(database.within(workspaceId), workspaceId, wanted, limit),

    /** Deletes one conversation unless it has an open turn. Throws NOT_FOUND if there is none, LEGAL_HOLD if a hold keeps it. */
    deleteOne(workspaceId: string, conversationId: string): Promise<'deleted' | 'busy'> {
      return database.within(workspaceId).transaction(async (tx) => {
        await requireNoHold(tx, workspaceId, { conversationId });
        const status = await erasureStore.lock(tx, workspaceId, conversationId);
        if (!status) throw notFound();
        if (status !== 'idle') return 'busy';
        await deleteLocked(tx, workspaceId, [conversationId]);
        await recordChange(tx, workspaceId, {
          action: 'conversation.deleted',
          object: { id: conversationId },
        });
        return 'deleted';
      });
    },

    /** What is known of the person besides. With their last conversation it is deleted anyway. */
    forgetDetails: (workspaceId: string, externalUserId: string): Promise<void> =>
      detailsStore.delete(database.within(workspaceId), workspaceId, externalUserId),

    /** For the erasure of a person who had no conversations. */
    recordNothingErased: (workspaceId: string): Promise<void> =>
      database.within(workspaceId).transaction((tx) => recordErasure(tx, workspaceId, 0)),

    /** For a caller that has locked them, and knows that no hold keeps them: see `lockForDeletion`. */
    deleteLocked,

    /**
     * Deletes those without an open turn and returns how many there were. Some can be left if others change them meanwhile. The caller
     * keeps new legal holds away: see `whileDeleting`.
     */
    async deleteIdle(workspaceId: string, wanted: UserConversations): Promise<number> {
      let deleted = 0;
      for (;;) {
        const ids = await database.within(workspaceId).transaction(async (tx) => {
          await findNoHold(tx, workspaceId, wanted);
          const locked = await erasureStore.lockIdle(tx, workspaceId, wanted, batchSize);
          if (locked.length === 0) return locked;
          await deleteLocked(tx, workspaceId, locked);
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
