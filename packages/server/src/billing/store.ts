import type { Queryable, Transaction } from '../database/database.ts';
import { and, eq, inArray, sql } from '../database/drizzle.ts';
import { billingAccounts as accounts, usageRecords } from './tables.ts';

export type UsageRow = typeof usageRecords.$inferSelect;
export type NewUsage = typeof usageRecords.$inferInsert;
export type AccountRow = typeof accounts.$inferSelect;

export interface ModelUsage {
  model: string;
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  costUsd: string;
}

const summed = {
  inputTokens: sql<number>`sum(${usageRecords.inputTokens})::int`,
  cachedInputTokens: sql<number>`sum(${usageRecords.cachedInputTokens})::int`,
  outputTokens: sql<number>`sum(${usageRecords.outputTokens})::int`,
  costUsd: sql<string>`sum(${usageRecords.costUsd})`,
};

export const billingStore = {
  /** The account, held until the transaction ends; made from what was used so far when there is none yet. */
  async lock(tx: Transaction, workspaceId: string): Promise<AccountRow> {
    const find = () => tx.select().from(accounts).where(eq(accounts.workspaceId, workspaceId)).for('update');
    const found = (await find())[0];
    if (found) return found;
    const used = sql`(select coalesce(sum(${usageRecords.costUsd}), 0) from ${usageRecords} where ${usageRecords.workspaceId} = ${workspaceId})`;
    await tx.insert(accounts).values({ workspaceId, settledUsd: used }).onConflictDoNothing();
    const made = (await find())[0];
    if (!made) throw new Error('The billing account could not be made.');
    return made;
  },

  /** Both may be negative. */
  async move(
    tx: Transaction,
    workspaceId: string,
    { reserved, settled }: { reserved: string; settled: string },
  ): Promise<void> {
    await tx
      .update(accounts)
      .set({
        reservedUsd: sql`${accounts.reservedUsd} + ${reserved}::numeric`,
        settledUsd: sql`${accounts.settledUsd} + ${settled}::numeric`,
      })
      .where(eq(accounts.workspaceId, workspaceId));
  },

  /** What was used outside a turn's own steps. */
  async insertUsage(
    tx: Transaction,
    workspaceId: string,
    usage: Omit<NewUsage, 'workspaceId'>,
  ): Promise<void> {
    await tx.insert(usageRecords).values({ ...usage, workspaceId });
  },

  listOfTurn(
    query: Queryable,
    workspaceId: string,
    turnId: string,
    conversationId: string,
  ): Promise<UsageRow[]> {
    return query
      .select()
      .from(usageRecords)
      .where(
        and(
          eq(usageRecords.conversationId, conversationId),
          eq(usageRecords.workspaceId, workspaceId),
          eq(usageRecords.turnId, turnId),
        ),
      );
  },

  usageByModel(query: Queryable, workspaceId: string, conversationId: string): Promise<ModelUsage[]> {
    return query
      .select({ model: usageRecords.model, ...summed })
      .from(usageRecords)
      .where(and(eq(usageRecords.conversationId, conversationId), eq(usageRecords.workspaceId, workspaceId)))
      .groupBy(usageRecords.model)
      .orderBy(usageRecords.model);
  },

  usageByConversation(
    query: Queryable,
    workspaceId: string,
    conversationIds: readonly string[],
  ): Promise<(Omit<ModelUsage, 'model'> & { conversationId: string })[]> {
    const { conversationId } = usageRecords;
    return query
      .select({ conversationId: sql<string>`${conversationId}`, ...summed })
      .from(usageRecords)
      .where(and(eq(usageRecords.workspaceId, workspaceId), inArray(conversationId, [...conversationIds])))
      .groupBy(conversationId);
  },

  async costOfWorkspace(query: Queryable, workspaceId: string): Promise<string> {
    const rows = await query
      .select({ cost: sql<string>`coalesce(sum(${usageRecords.costUsd}), 0)` })
      .from(usageRecords)
      .where(eq(usageRecords.workspaceId, workspaceId));
    return rows[0]?.cost ?? '0';
  },
};
