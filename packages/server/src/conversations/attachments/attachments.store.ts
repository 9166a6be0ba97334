import type { Attachment } from '@svc/contract/attachments';
import type { Queryable, Transaction } from '../../database/database.ts';
import { and, eq, getTableColumns, inArray, isNotNull, isNull, or, sql } from '../../database/drizzle.ts';
import { attachments, messages } from '../conversations.tables.ts';

/** Without its bytes, which are read one file at a time. */
const { bytes: _read, ...columns } = getTableColumns(attachments);

export type AttachmentRow = Omit<typeof attachments.$inferSelect, 'bytes'>;

const isOf = (workspaceId: string, ids: readonly string[]) =>
  and(eq(attachments.workspaceId, workspaceId), inArray(attachments.id, [...ids]));

export const attachmentStore = {
  async insert(
    tx: Transaction,
    workspaceId: string,
    row: Omit<AttachmentRow, 'createdAt' | 'conversationId' | 'workspaceId'>,
    bytes: Buffer | null,
  ): Promise<void> {
    await tx.insert(attachments).values({ ...row, workspaceId, bytes });
  },

  /** What waits to be sent: how many files of one end user, and how many bytes of all of them; or how many bytes of keys. */
  async countUnsent(query: Queryable, workspaceId: string, externalUserId: string | null) {
    const rows = await query
      .select({
        ofUser: sql<number>`(count(*) filter (where ${attachments.externalUserId} = ${externalUserId}))::int`,
        bytes: sql<number>`coalesce(sum(${attachments.size}), 0)::float8`,
      })
      .from(attachments)
      .where(
        and(
          eq(attachments.workspaceId, workspaceId),
          isNull(attachments.conversationId),
          externalUserId === null
            ? isNull(attachments.externalUserId)
            : isNotNull(attachments.externalUserId),
        ),
      );
    return rows[0] ?? { ofUser: 0, bytes: 0 };
  },

  list(query: Queryable, workspaceId: string, ids: readonly string[]): Promise<AttachmentRow[]> {
    return query.select(columns).from(attachments).where(isOf(workspaceId, ids));
  },

  async readBytes(query: Queryable, workspaceId: string, id: string): Promise<Buffer | null | undefined> {
    const rows = await query
      .select({ bytes: attachments.bytes })
      .from(attachments)
      .where(isOf(workspaceId, [id]));
    return rows[0]?.bytes;
  },

  /** How many of the files are now part of the conversation. Those of a message that is answered again are so already. */
  async keep(tx: Transaction, workspaceId: string, conversationId: string, ids: readonly string[]) {
    const isFree = or(isNull(attachments.conversationId), eq(attachments.conversationId, conversationId));
    const rows = await tx
      .update(attachments)
      .set({ conversationId })
      .where(and(isOf(workspaceId, ids), isFree))
      .returning({ id: attachments.id });
    return rows.length;
  },

  /** The message with which a turn begins says what it was sent with. */
  async note(tx: Transaction, workspaceId: string, turnId: string, sent: Attachment[]): Promise<void> {
    await tx
      .update(messages)
      .set({ attachments: sent })
      .where(
        and(eq(messages.turnId, turnId), eq(messages.role, 'user'), eq(messages.workspaceId, workspaceId)),
      );
  },

  /** After messages were removed: the files that none of those that are left was sent with. */
  async deleteUnlisted(tx: Transaction, workspaceId: string, conversationId: string): Promise<void> {
    await tx.execute(sql`
      delete from attachments a
      where a.conversation_id = ${conversationId} and a.workspace_id = ${workspaceId} and not exists (
        select from messages m, json_array_elements(m.attachments) as sent
        where m.conversation_id = a.conversation_id and sent ->> 'id' = a.id::text)`);
  },

  async deleteUnsentOf(query: Queryable, workspaceId: string, externalUserId: string): Promise<void> {
    await query
      .delete(attachments)
      .where(
        and(
          eq(attachments.workspaceId, workspaceId),
          eq(attachments.externalUserId, externalUserId),
          isNull(attachments.conversationId),
        ),
      );
  },

  async deleteOldUnsentAcrossWorkspaces(
    query: Queryable,
    before: { ofEndUsers: Date; ofKeys: Date },
  ): Promise<void> {
    await query.delete(attachments).where(
      and(
        isNull(attachments.conversationId),
        sql`${attachments.createdAt} < case when ${attachments.externalUserId} is null
            then ${before.ofKeys.toISOString()}::timestamptz else ${before.ofEndUsers.toISOString()}::timestamptz end`,
      ),
    );
  },
};
