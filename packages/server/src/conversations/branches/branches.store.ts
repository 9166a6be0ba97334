import type { Attachment } from '@svc/contract/attachments';
import { maxBranchText } from '@svc/contract/branches';
import type { Queryable, Transaction } from '../../database/database.ts';
import { and, asc, eq, gt, inArray, isNull, sql } from '../../database/drizzle.ts';
import { conversationBranches as branches, conversations, messages } from '../conversations.tables.ts';

/** The message is part of the conversation, not put aside with a branch. */
export const isInForce = isNull(messages.branchId);

type MessageRow = typeof messages.$inferSelect;
export type BranchRow = typeof branches.$inferSelect;

/** Where a message could be followed by something else. */
export interface Fork {
  /** The last message that stays; null if none does. */
  afterMessageId: string | null;
  afterSequence: number;
}

/** The user's message that begins the turn of another message, and what comes before it. */
export interface TurnBeginning extends Fork {
  messageId: string;
  turnId: string;
  sequence: number;
  content: string;
  attachments: Attachment[] | null;
}

/** A message that a branch takes the place of. */
export type ReplacedMessage = Pick<MessageRow, 'id' | 'role' | 'turnId' | 'content' | 'toolCalls'>;

interface Place {
  workspaceId: string;
  conversationId: string;
}

export const branchStore = {
  /** Undefined unless the message is in force and belongs to a turn that a user's message begins. */
  async findBeginning(
    query: Queryable,
    { workspaceId, conversationId }: Place,
    messageId: string,
  ): Promise<TurnBeginning | undefined> {
    const inForce = sql`x.conversation_id = m.conversation_id and x.branch_id is null`;
    const { rows } = await query.execute<TurnBeginning & Record<string, unknown>>(sql`
      select u.id as "messageId", m.turn_id as "turnId", u.sequence::int, u.content, u.attachments, p.id as "afterMessageId",
        coalesce(p.sequence, 0)::int as "afterSequence"
      from messages m
      join lateral (
        select x.id, x.sequence, x.content, x.attachments from messages x
        where ${inForce} and x.turn_id = m.turn_id and x.role = 'user' order by x.sequence limit 1
      ) u on u.sequence <= m.sequence
      left join lateral (
        select x.id, x.sequence from messages x
        where ${inForce} and x.sequence < u.sequence order by x.sequence desc limit 1
      ) p on true
      where m.id = ${messageId} and m.conversation_id = ${conversationId} and m.workspace_id = ${workspaceId}
        and m.branch_id is null`);
    return rows[0];
  },

  /** Where a message in force is; 0 for the beginning, and undefined if it is not in force. */
  async findSequence(query: Queryable, workspaceId: string, messageId: string | null) {
    if (messageId === null) return 0;
    const rows = await query
      .select({ sequence: messages.sequence })
      .from(messages)
      .where(and(eq(messages.id, messageId), eq(messages.workspaceId, workspaceId), isInForce));
    return rows[0]?.sequence;
  },

  /** Oldest first, each with how it begins. */
  list(query: Queryable, { workspaceId, conversationId }: Place) {
    return query
      .select({ branch: branches, text: sql<string>`left(${messages.content}, ${maxBranchText})` })
      .from(branches)
      .innerJoin(messages, eq(messages.id, branches.firstMessageId))
      .where(and(eq(branches.conversationId, conversationId), eq(branches.workspaceId, workspaceId)))
      .orderBy(asc(messages.sequence));
  },

  /** The messages as they are with a branch in force, in order. None if the conversation has no such branch. */
  listLine(
    query: Queryable,
    { workspaceId, conversationId }: Place,
    branchId: string,
  ): Promise<MessageRow[]> {
    const isOf = and(eq(messages.conversationId, conversationId), eq(messages.workspaceId, workspaceId));
    // What a branch follows may be put aside with another branch, and so on until the messages in force.
    const inLine = sql`
      with recursive line (branch_id, through) as (
        select m.branch_id, null::bigint from conversation_branches b join messages m on m.id = b.first_message_id
        where b.id = ${branchId} and b.conversation_id = ${conversationId} and b.workspace_id = ${workspaceId}
        union all
        select m.branch_id, m.sequence from line l
        join conversation_branches b on b.id = l.branch_id
        join messages m on m.id = b.after_message_id
      )
      select m.id from messages m
      join line l on m.branch_id is not distinct from l.branch_id and (l.through is null or m.sequence <= l.through)
      where m.conversation_id = ${conversationId}`;
    return query
      .select()
      .from(messages)
      .where(and(isOf, sql`${messages.id} in (${inLine})`))
      .orderBy(asc(messages.sequence));
  },

  async hasAny(query: Queryable, { workspaceId, conversationId }: Place): Promise<boolean> {
    const rows = await query
      .select({ id: branches.id })
      .from(branches)
      .where(and(eq(branches.conversationId, conversationId), eq(branches.workspaceId, workspaceId)))
      .limit(1);
    return rows.length > 0;
  },

  /** At most as many as a conversation may have. */
  listPlaced(tx: Transaction, { workspaceId, conversationId }: Place): Promise<BranchRow[]> {
    return tx
      .select()
      .from(branches)
      .where(and(eq(branches.conversationId, conversationId), eq(branches.workspaceId, workspaceId)));
  },

  /** The messages in force after a fork, in order. */
  listAfter(tx: Transaction, { workspaceId, conversationId }: Place, { afterSequence }: Fork) {
    return tx
      .select({
        id: messages.id,
        role: messages.role,
        turnId: messages.turnId,
        content: messages.content,
        toolCalls: messages.toolCalls,
      })
      .from(messages)
      .where(
        and(
          eq(messages.conversationId, conversationId),
          eq(messages.workspaceId, workspaceId),
          isInForce,
          gt(messages.sequence, afterSequence),
        ),
      )
      .orderBy(asc(messages.sequence));
  },

  async insert(tx: Transaction, { workspaceId, conversationId }: Place, added: NewBranch[]): Promise<void> {
    await tx.insert(branches).values(added.map((branch) => ({ ...branch, workspaceId, conversationId })));
  },

  /** Chooses a branch among those of its place. */
  async choose(
    tx: Transaction,
    { workspaceId, conversationId }: Place,
    { id, afterMessageId }: Pick<BranchRow, 'id' | 'afterMessageId'>,
  ) {
    await tx
      .update(branches)
      .set({ isCurrent: sql`${branches.id} = ${id}` })
      .where(
        and(
          eq(branches.conversationId, conversationId),
          eq(branches.workspaceId, workspaceId),
          sql`${branches.afterMessageId} is not distinct from ${afterMessageId}`,
        ),
      );
  },

  async putAside(tx: Transaction, { workspaceId, conversationId }: Place, ids: string[], branchId: string) {
    const isOf = and(eq(messages.conversationId, conversationId), eq(messages.workspaceId, workspaceId));
    await tx
      .update(messages)
      .set({ branchId })
      .where(and(isOf, inArray(messages.id, ids)));
  },

  async putInForce(tx: Transaction, { workspaceId, conversationId }: Place, branchId: string) {
    const isOf = and(eq(messages.conversationId, conversationId), eq(messages.workspaceId, workspaceId));
    await tx
      .update(messages)
      .set({ branchId: null })
      .where(and(isOf, eq(messages.branchId, branchId)));
  },

  /** What a conversation says of its messages, once other ones are in force. */
  async settle(
    tx: Transaction,
    { workspaceId, conversationId }: Place,
    change: { title?: string; summary?: null; summaryThrough?: number },
  ): Promise<void> {
    const count = sql`(select count(*) from messages where conversation_id = ${conversationId} and branch_id is null)`;
    await tx
      .update(conversations)
      .set({ ...change, messageCount: sql`${count}`, updatedAt: sql`now()` })
      .where(and(eq(conversations.id, conversationId), eq(conversations.workspaceId, workspaceId)));
  },

  /** Removes the branches that follow a message, with everything that was put aside with them. */
  async removeAfter(tx: Transaction, workspaceId: string, messageId: string): Promise<void> {
    await tx
      .delete(branches)
      .where(and(eq(branches.afterMessageId, messageId), eq(branches.workspaceId, workspaceId)));
  },
};

type NewBranch = Omit<BranchRow, 'workspaceId' | 'conversationId'>;
