import {
  type ConversationView,
  type ConversationViewCreate,
  maxConversationViews,
} from '@svc/contract/conversation-views';
import { recordChange } from '../../audit/audit.service.ts';
import type { RecordAnswer } from '../../idempotency/idempotency.service.ts';
import { invalid, notFound } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import type { Services } from '../../services.ts';
import { type ConversationViewRow, conversationViewStore } from './conversation-views.store.ts';

export type ConversationViews = ReturnType<typeof createConversationViews>;

/** Filters of conversations that the team has given names. */
export function createConversationViews({ database, clock }: Pick<Services, 'clock' | 'database'>) {
  return {
    /** By name. */
    async list(workspaceId: string): Promise<ConversationView[]> {
      return (await conversationViewStore.list(database.within(workspaceId), workspaceId)).map(toWire);
    },

    async create(
      workspaceId: string,
      { name: given, filter }: ConversationViewCreate,
      record: RecordAnswer<{ id: string }>,
    ): Promise<{ id: string }> {
      if (Object.keys(filter).length === 0) throw invalid('filter', 'must select something');
      const id = newId();
      const name = given.trim();
      return database.within(workspaceId).transaction(async (tx) => {
        if ((await conversationViewStore.count(tx, workspaceId)) >= maxConversationViews)
          throw invalid('name', `cannot be added: a workspace has at most ${maxConversationViews} views`);
        const view = { id, name, filter, createdAt: clock.now() };
        if (!(await conversationViewStore.insert(tx, workspaceId, view)))
          throw invalid('name', 'is taken by another view');
        await recordChange(tx, workspaceId, {
          action: 'conversation_view.created',
          object: { id, name },
          after: { name, filter },
        });
        await record(tx, { id });
        return { id };
      });
    },

    async delete(workspaceId: string, id: string): Promise<void> {
      await database.within(workspaceId).transaction(async (tx) => {
        const deleted = await conversationViewStore.delete(tx, workspaceId, id);
        if (!deleted) throw notFound();
        const { name, filter } = deleted;
        await recordChange(tx, workspaceId, {
          action: 'conversation_view.deleted',
          object: { id, name },
          before: { name, filter },
        });
      });
    },
  };
}

function toWire({ id, name, filter, createdAt }: ConversationViewRow): ConversationView {
  return { id, name, filter, created_at: createdAt.toISOString() };
}
