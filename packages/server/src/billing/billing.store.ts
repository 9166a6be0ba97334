import type { Queryable, Transaction } from '../database/database.ts';
import { and, eq, inArray, lt, ne, or, sql } from '../database/drizzle.ts';
import { parseUsd } from '../lib/money.ts';
import { nodeLost } from '../nodes/presence.ts';
import {
  billingAccounts as accounts,
  billingReservations as reservations,
  usageRecords,
} from './billing.tables.ts';
import type { KnownCost } from './known-cost.ts';

export type UsageRow = typeof usageRecords.$inferSelect;
export type NewUsage = Pick<
  typeof usageRecords.$inferInsert,
  | 'id'
  | 'conversationId'
  | 'turnId'
  | 'messageId'
  | 'traceStepId'
  | 'model'
  | 'inputTokens'
  | 'cachedInputTokens'
  | 'outputTokens'
  | 'costUsd'
  | 'callSeconds'
>;
export type AccountRow = typeof accounts.$inferSelect;

export interface TokenSums {
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
}

interface CostSums {
  /** Only of usage with a known price. */
  costUsd: string;
  /** The models of the rest. */
  unpriced: string[];
}

export function costIn({ costUsd, unpriced }: CostSums): KnownCost {
  return { usd: parseUsd(costUsd), unpriced };
}

/** No request outside a turn takes this long: an older reservation was forgotten. */
const reservationLastsSeconds = 3_600;

/** The turn stays, because turns are counted; nothing else leads from it to a person. */
const anonymous = { externalUserId: null, conversationId: null, messageId: null, traceStepId: null };

const summedCost = {
  costUsd: sql<string>`coalesce(sum(${usageRecords.costUsd}), 0)`,
  unpriced: sql<
    string[]
  >`coalesce(array_agg(distinct ${usageRecords.model}) filter (where ${usageRecords.costUsd} is null), '{}')`,
};

const summed = {
  inputTokens: sql<number>`sum(${usageRecords.inputTokens})::float8`,
  cachedInputTokens: sql<number>`sum(${usageRecords.cachedInputTokens})::float8`,
  outputTokens: sql<number>`sum(${usageRecords.outputTokens})::float8`,
  ...summedCost,
};

export const billingStore = {
  /** Locks the account until the transaction ends; created from the usage so far when there is none yet. */
  async lock(tx: Transaction, workspaceId: string): Promise<AccountRow> {
    const find = () => tx.select().from(accounts).where(eq(accounts.workspaceId, workspaceId)).for('update');
    const found = (await find())[0];
    if (found) return found;
    const used = sql`(select coalesce(sum(${usageRecords.costUsd}), 0) from ${usageRecords} where ${usageRecords.workspaceId} = ${workspaceId})`;
    await tx.insert(accounts).values({ workspaceId, settledUsd: used }).onConflictDoNothing();
    const made = (await find())[0];
    if (!made) throw new Error('The billing account could not be created.');
    return made;
  },

  async findAccount(query: Queryable, workspaceId: string): Promise<AccountRow | undefined> {
    return (await query.select().from(accounts).where(eq(accounts.workspaceId, workspaceId)))[0];
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

  async insertReservation(
    tx: Transaction,
    workspaceId: string,
    reservation: { id: string; nodeId: string; amountUsd: string },
    lastsSeconds = reservationLastsSeconds,
  ): Promise<void> {
    const expiresAt = sql`now() + make_interval(secs => ${lastsSeconds})`;
    await tx.insert(reservations).values({ ...reservation, workspaceId, expiresAt });
  },

  /** The reserved amount; 0 when a sweep has already given it back. */
  async removeReservation(tx: Transaction, workspaceId: string, id: string): Promise<string> {
    const rows = await tx
      .delete(reservations)
      .where(and(eq(reservations.id, id), eq(reservations.workspaceId, workspaceId)))
      .returning({ amount: reservations.amountUsd });
    return rows[0]?.amount ?? '0';
  },

  /**
   * Gives back forgotten reservations and those of nodes that are gone. The calling node counts as alive even if its
   * heartbeat is late.
   */
  async releaseReservationsAcrossWorkspaces(query: Queryable, nodeId: string): Promise<void> {
    const isGone = and(ne(reservations.nodeId, nodeId), nodeLost(reservations.nodeId));
    const isLeft = or(lt(reservations.expiresAt, sql`now()`), isGone);
    await query.execute(
      sql`with gone as (delete from ${reservations} where ${isLeft} returning workspace_id, amount_usd)
          update billing_accounts set reserved_usd = reserved_usd - sums.amount
          from (select workspace_id, sum(amount_usd) as amount from gone group by workspace_id) as sums
          where billing_accounts.workspace_id = sums.workspace_id`,
    );
  },

  /**
   * Usage outside a turn's steps; false when it was already written. The conversation is locked against deletion, so that it is
   * either deleted after this is written or not named here.
   */
  async insertUsage(tx: Queryable, workspaceId: string, usage: readonly NewUsage[]): Promise<boolean> {
    const rows = usage.map((one) => {
      const conversation = one.conversationId ?? null;
      const ofConversation = (column: string) =>
        sql`(select ${sql.identifier(column)} from conversations where id = ${conversation}::uuid for key share)`;
      // What belonged to a conversation that was erased meanwhile is not named.
      const inConversation = (id: string | null | undefined) =>
        id ? sql`(select ${id}::uuid from conversations where id = ${conversation}::uuid)` : null;
      return {
        ...one,
        workspaceId,
        conversationId: ofConversation('id'),
        botId: ofConversation('bot_id'),
        externalUserId: ofConversation('external_user_id'),
        channel: ofConversation('channel'),
        messageId: inConversation(one.messageId),
        traceStepId: inConversation(one.traceStepId),
      };
    });
    const written = await tx
      .insert(usageRecords)
      .values(rows)
      .onConflictDoNothing()
      .returning({ id: usageRecords.id });
    return written.length > 0;
  },

  /** Removes whom the usage of these conversations was for. */
  async anonymize(tx: Transaction, workspaceId: string, conversationIds: readonly string[]): Promise<void> {
    await tx
      .update(usageRecords)
      .set(anonymous)
      .where(
        and(
          eq(usageRecords.workspaceId, workspaceId),
          inArray(usageRecords.conversationId, [...conversationIds]),
        ),
      );
  },

  /** The same for usage of a user whose conversation is deleted; at most so many rows, and how many there were. */
  async anonymizeUser(query: Queryable, workspaceId: string, externalUserId: string, limit: number) {
    const { conversationId } = usageRecords;
    const batch = query
      .select({ id: usageRecords.id })
      .from(usageRecords)
      .where(
        and(
          eq(usageRecords.workspaceId, workspaceId),
          eq(usageRecords.externalUserId, externalUserId),
          sql`not exists (select from conversations where conversations.id = ${conversationId})`,
        ),
      )
      .limit(limit);
    const rows = await query
      .update(usageRecords)
      .set(anonymous)
      .where(and(eq(usageRecords.workspaceId, workspaceId), inArray(usageRecords.id, batch)))
      .returning({ id: usageRecords.id });
    return rows.length;
  },

  listOfTurn(query: Queryable, workspaceId: string, turnId: string, conversationId: string) {
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

  /** Every record of a conversation, oldest first. */
  listOfConversation(query: Queryable, workspaceId: string, conversationId: string): Promise<UsageRow[]> {
    return query
      .select()
      .from(usageRecords)
      .where(and(eq(usageRecords.conversationId, conversationId), eq(usageRecords.workspaceId, workspaceId)))
      .orderBy(usageRecords.createdAt);
  },

  usageByModel(query: Queryable, workspaceId: string, conversationId: string) {
    return query
      .select({ model: usageRecords.model, ...summed })
      .from(usageRecords)
      .where(and(eq(usageRecords.conversationId, conversationId), eq(usageRecords.workspaceId, workspaceId)))
      .groupBy(usageRecords.model)
      .orderBy(usageRecords.model);
  },

  /** What turns have cost, by turn. */
  costByTurn(
    query: Queryable,
    workspaceId: string,
    { conversationIds, turnIds }: { conversationIds: string[]; turnIds: string[] },
  ): Promise<({ turnId: string } & CostSums)[]> {
    const { conversationId, turnId } = usageRecords;
    return query
      .select({ turnId: sql<string>`${turnId}`, ...summedCost })
      .from(usageRecords)
      .where(
        and(
          eq(usageRecords.workspaceId, workspaceId),
          // The index is that of conversations.
          inArray(conversationId, conversationIds),
          inArray(turnId, turnIds),
        ),
      )
      .groupBy(turnId);
  },

  usageByConversation(query: Queryable, workspaceId: string, conversationIds: readonly string[]) {
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
