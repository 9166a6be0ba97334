import { type Channel, unlistedChannels } from '@svc/contract/channels';
import type { ConversationQuery } from '@svc/contract/conversations';
import type { Placeholder } from 'drizzle-orm';
import type { Queryable, Transaction } from '../database/database.ts';
import {
  and,
  asc,
  desc,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  notInArray,
  sql,
} from '../database/drizzle.ts';
import { isInForce } from './branches/branches.store.ts';
import { conversations, messages } from './conversations.tables.ts';
import { isInInbox } from './inbox.store.ts';

export type ConversationRow = typeof conversations.$inferSelect;
export type MessageRow = typeof messages.$inferSelect;
export type NewConversation = Pick<
  ConversationRow,
  'id' | 'botId' | 'channel' | 'externalUserId' | 'title' | 'metadata'
>;

export interface Summary {
  text: string;
  /** The newest message that it covers. */
  through: number;
}

export interface ConversationFilter extends Omit<ConversationQuery, 'limit'> {
  metadata: Record<string, string>;
  limit: number;
}

/**
 * The latest conversation is searched among this many of a user's newest ones: an index on the time of the last message
 * would cover all of them, but would have to be updated with every message.
 */
const newestOfUser = 50;

export const conversationStore = {
  async find(query: Queryable, workspaceId: string, id: string): Promise<ConversationRow | undefined> {
    const statement = query.compiled('conversations.find', () =>
      query
        .select()
        .from(conversations)
        .where(inWorkspace(sql.placeholder('workspaceId'), sql.placeholder('id'))),
    );
    return (await statement.execute({ workspaceId, id }))[0];
  },

  async insert(tx: Transaction, workspaceId: string, conversation: NewConversation): Promise<void> {
    await tx.insert(conversations).values({ ...conversation, workspaceId });
  },

  /** The one with the latest message. */
  async findLatest(
    query: Queryable,
    workspaceId: string,
    botId: string,
    externalUserId: string,
    channel: Channel,
  ): Promise<ConversationRow | undefined> {
    const statement = query.compiled('conversations.latest', () => {
      const newest = query
        .select({ id: conversations.id })
        .from(conversations)
        .where(
          and(
            eq(conversations.workspaceId, sql.placeholder('workspaceId')),
            eq(conversations.externalUserId, sql.placeholder('externalUserId')),
            eq(conversations.botId, sql.placeholder('botId')),
            eq(conversations.channel, sql.placeholder('channel')),
          ),
        )
        .orderBy(desc(conversations.id))
        .limit(newestOfUser);
      return query
        .select()
        .from(conversations)
        .where(inArray(conversations.id, newest))
        .orderBy(desc(conversations.lastMessageAt))
        .limit(1);
    });
    return (await statement.execute({ workspaceId, externalUserId, botId, channel }))[0];
  },

  /** The one that was created last. */
  async findNewest(query: Queryable, workspaceId: string, botId: string, channel: Channel) {
    const rows = await query
      .select()
      .from(conversations)
      .where(
        and(
          eq(conversations.workspaceId, workspaceId),
          eq(conversations.botId, botId),
          eq(conversations.channel, channel),
        ),
      )
      .orderBy(desc(conversations.id))
      .limit(1);
    return rows[0];
  },

  async lock(tx: Transaction, workspaceId: string, id: string): Promise<ConversationRow | undefined> {
    const rows = await tx.select().from(conversations).where(inWorkspace(workspaceId, id)).for('update');
    return rows[0];
  },

  /** Newest first, by id: ids grow over time. */
  list(query: Queryable, workspaceId: string, filter: ConversationFilter): Promise<ConversationRow[]> {
    return query
      .select()
      .from(conversations)
      .where(isListed(workspaceId, filter))
      .orderBy(desc(conversations.id))
      .limit(filter.limit);
  },

  /** The ids of the same conversations. */
  async listIds(query: Queryable, workspaceId: string, filter: ConversationFilter): Promise<string[]> {
    const rows = await query
      .select({ id: conversations.id })
      .from(conversations)
      .where(isListed(workspaceId, filter))
      .orderBy(desc(conversations.id))
      .limit(filter.limit);
    return rows.map(({ id }) => id);
  },

  /** Newest first. */
  listOf(query: Queryable, workspaceId: string, ids: string[]): Promise<ConversationRow[]> {
    return query
      .select()
      .from(conversations)
      .where(and(eq(conversations.workspaceId, workspaceId), inArray(conversations.id, ids)))
      .orderBy(desc(conversations.id));
  },

  /** In the order of their sequence numbers. */
  listMessages(query: Queryable, workspaceId: string, conversationId: string, after = 0) {
    const statement = query.compiled('messages.list', () =>
      query
        .select()
        .from(messages)
        .where(
          and(
            eq(messages.conversationId, sql.placeholder('conversationId')),
            eq(messages.workspaceId, sql.placeholder('workspaceId')),
            gt(messages.sequence, sql.placeholder('after')),
            isInForce,
          ),
        )
        .orderBy(asc(messages.sequence)),
    );
    return statement.execute({ workspaceId, conversationId, after });
  },

  listContents(query: Queryable, workspaceId: string, conversationId: string, ids: string[]) {
    return query
      .select({ id: messages.id, content: messages.content, failed: messages.failed })
      .from(messages)
      .where(
        and(
          eq(messages.conversationId, conversationId),
          eq(messages.workspaceId, workspaceId),
          inArray(messages.id, ids),
          isInForce,
        ),
      );
  },

  /** Messages of operators after an event, in the order of their sequence numbers. */
  listOperatorMessages(query: Queryable, workspaceId: string, conversationId: string, after: number) {
    return query
      .select()
      .from(messages)
      .where(
        and(
          eq(messages.conversationId, conversationId),
          eq(messages.workspaceId, workspaceId),
          gt(messages.sequence, after),
          eq(messages.role, 'operator'),
          isInForce,
        ),
      )
      .orderBy(asc(messages.sequence));
  },

  /** The messages of several conversations, one conversation after the other. */
  listMessagesOf(query: Queryable, workspaceId: string, conversationIds: readonly string[]) {
    return query
      .select()
      .from(messages)
      .where(
        and(
          inArray(messages.conversationId, [...conversationIds]),
          eq(messages.workspaceId, workspaceId),
          isInForce,
        ),
      )
      .orderBy(asc(messages.conversationId), asc(messages.sequence));
  },

  async findPosition(query: Queryable, workspaceId: string, conversationId: string, messageId: string) {
    const rows = await query
      .select({
        sequence: messages.sequence,
        turnId: messages.turnId,
        content: messages.content,
        createdAt: messages.createdAt,
      })
      .from(messages)
      .where(
        and(
          eq(messages.id, messageId),
          isInForce,
          eq(messages.conversationId, conversationId),
          eq(messages.workspaceId, workspaceId),
        ),
      );
    return rows[0];
  },

  /** Stores a summary only if the newest message it covers is still there: truncated text must not live on in it. */
  async saveSummary(tx: Queryable, workspaceId: string, id: string, { text, through }: Summary) {
    const covered = sql`exists (select 1 from ${messages} where ${messages.conversationId} = ${id} and ${messages.sequence} = ${through} and ${isInForce})`;
    const rows = await tx
      .update(conversations)
      .set({ summary: text, summaryThrough: through })
      .where(and(inWorkspace(workspaceId, id), lt(conversations.summaryThrough, through), covered))
      .returning({ id: conversations.id });
    return rows.length > 0;
  },

  async update(
    tx: Queryable,
    workspaceId: string,
    conversationId: string,
    change: Partial<
      Pick<
        ConversationRow,
        'title' | 'metadata' | 'summary' | 'summaryThrough' | 'messageCount' | 'codeSession'
      >
    >,
  ): Promise<void> {
    await tx.update(conversations).set(change).where(inWorkspace(workspaceId, conversationId));
  },
};

function inWorkspace(workspaceId: string | Placeholder, id: string | Placeholder) {
  return and(eq(conversations.id, id), eq(conversations.workspaceId, workspaceId));
}

function isListed(workspaceId: string, filter: ConversationFilter) {
  const { external_user_id: userId, channel, bot_id: botId, needs_human: waits, before, metadata } = filter;
  const isQueued = waits ? isNotNull : isNull;
  return and(
    eq(conversations.workspaceId, workspaceId),
    userId === undefined ? undefined : eq(conversations.externalUserId, userId),
    channel === undefined
      ? notInArray(conversations.channel, unlistedChannels)
      : eq(conversations.channel, channel),
    botId === undefined ? undefined : eq(conversations.botId, botId),
    waits === undefined ? undefined : isQueued(conversations.handoffRequestedAt),
    isInInbox(workspaceId, filter),
    before === undefined ? undefined : lt(conversations.id, before),
    Object.keys(metadata).length > 0
      ? // The second condition lets the partial index be used.
        sql`${conversations.metadata} @> ${JSON.stringify(metadata)}::jsonb and ${conversations.metadata} <> '{}'`
      : undefined,
  );
}
