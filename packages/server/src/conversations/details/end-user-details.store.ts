import type { Queryable, Transaction } from '../../database/database.ts';
import { and, desc, eq } from '../../database/drizzle.ts';
import { conversations, endUserDetails } from '../conversations.tables.ts';

export type DetailsRow = typeof endUserDetails.$inferSelect;
export type DetailsChange = Partial<Omit<DetailsRow, 'workspaceId' | 'externalUserId'>>;

/** An end user, in conversations with any bot or with one. */
interface Person {
  externalUserId: string;
  botId?: string;
}

const isOf = (workspaceId: string, externalUserId: string) =>
  and(eq(endUserDetails.workspaceId, workspaceId), eq(endUserDetails.externalUserId, externalUserId));

const hasUser = (workspaceId: string, { externalUserId, botId }: Person) =>
  and(
    eq(conversations.workspaceId, workspaceId),
    eq(conversations.externalUserId, externalUserId),
    botId === undefined ? undefined : eq(conversations.botId, botId),
  );

export const detailsStore = {
  async find(query: Queryable, workspaceId: string, externalUserId: string): Promise<DetailsRow | undefined> {
    const rows = await query.select().from(endUserDetails).where(isOf(workspaceId, externalUserId));
    return rows[0];
  },

  /** Locks the details until the transaction ends. */
  async lock(tx: Transaction, workspaceId: string, externalUserId: string): Promise<DetailsRow | undefined> {
    const rows = await tx
      .select()
      .from(endUserDetails)
      .where(isOf(workspaceId, externalUserId))
      .for('update');
    return rows[0];
  },

  async hasConversation(query: Queryable, workspaceId: string, person: Person): Promise<boolean> {
    const rows = await query
      .select({ id: conversations.id })
      .from(conversations)
      .where(hasUser(workspaceId, person))
      .limit(1);
    return rows.length > 0;
  },

  /** The newest conversation of a person, which is not deleted before the transaction ends. */
  async keepNewest(tx: Transaction, workspaceId: string, person: Person): Promise<string | undefined> {
    const rows = await tx
      .select({ id: conversations.id })
      .from(conversations)
      .where(hasUser(workspaceId, person))
      .orderBy(desc(conversations.id))
      .limit(1)
      .for('key share');
    return rows[0]?.id;
  },

  async put(
    tx: Transaction,
    workspaceId: string,
    externalUserId: string,
    change: DetailsChange,
  ): Promise<void> {
    await tx
      .insert(endUserDetails)
      .values({ ...change, workspaceId, externalUserId })
      .onConflictDoUpdate({
        target: [endUserDetails.workspaceId, endUserDetails.externalUserId],
        set: change,
      });
  },

  async delete(query: Queryable, workspaceId: string, externalUserId: string): Promise<void> {
    await query.delete(endUserDetails).where(isOf(workspaceId, externalUserId));
  },
};
