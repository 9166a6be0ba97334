import type { ConversationQuery } from '@svc/contract/conversations';
import type { EndUserConversation, EndUserConversationDetail } from '@svc/contract/end-users';
import { toEndUserMessage } from '../../events/end-user-view.ts';
import type { Services } from '../../services.ts';
import { branchStore } from '../branches/branches.store.ts';
import { type ConversationRow, conversationStore } from '../conversations.store.ts';
import { toWireMessage } from '../message.ts';
import type { OwnConversation, Ownership } from '../own-conversations.ts';
import { endUserViewStore } from './end-user-view.store.ts';

export interface EndUserConversationPage {
  conversations: EndUserConversation[];
  /** The cursor of the next page; undefined on the last. */
  next: string | undefined;
}

export type EndUserView = ReturnType<typeof createEndUserView>;

const defaultLimit = 100;
/** A visitor can write for months and read all of it again and again. */
const newest = { limit: 200, characters: 500_000 };

/** Conversations as their end users see them. */
export function createEndUserView({
  database,
  bots,
  conversations,
}: Pick<Services, 'bots' | 'conversations' | 'database'>) {
  return {
    /** Newest first. */
    async list(workspaceId: string, query: ConversationQuery & Ownership): Promise<EndUserConversationPage> {
      if (query.bot_id) await bots.getRow(workspaceId, query.bot_id);
      const limit = query.limit ?? defaultLimit;
      const filter = { ...query, metadata: {}, limit: limit + 1 };
      const rows = await conversationStore.list(database.within(workspaceId), workspaceId, filter);
      const page = rows.slice(0, limit);
      return {
        conversations: page.map(toEndUserConversation),
        next: rows.length > limit ? page.at(-1)?.id : undefined,
      };
    },

    async get(workspaceId: string, wanted: OwnConversation): Promise<EndUserConversationDetail> {
      // Read before its messages, so that everything after its last event is in them or follows.
      const row = await conversations.getWanted(workspaceId, wanted);
      const query = database.within(workspaceId);
      const place = { workspaceId, conversationId: row.id };
      const [messages, hasBranches] = await Promise.all([
        endUserViewStore.listNewestTexts(query, workspaceId, row.id, newest),
        branchStore.hasAny(query, place),
      ]);
      return {
        ...toEndUserConversation(row),
        last_event_id: row.lastSequence,
        has_branches: hasBranches,
        messages: messages.flatMap((message) => toEndUserMessage(toWireMessage(message)) ?? []),
      };
    },
  };
}

function toEndUserConversation(row: ConversationRow): EndUserConversation {
  return {
    id: row.id,
    bot_id: row.botId,
    title: row.title,
    status: row.status,
    needs_human: row.handoffRequestedAt !== null,
    taken_over: row.handoffRequestedAt !== null && row.isTakenOver,
    created_at: row.createdAt.toISOString(),
    last_message_at: row.lastMessageAt?.toISOString() ?? null,
  };
}
