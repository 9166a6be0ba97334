import type { UsageQuery, UsageReport } from '@svc/contract/usage';
import type { Database, Transaction } from '../database/database.ts';
import { AppError } from '../lib/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import { formatUsd, type NanoUsd, parseUsd } from '../lib/money.ts';
import { billingStore, costIn, type NewUsage, type TokenSums, type UsageRow } from './billing.store.ts';
import { releaseHold, renewHold } from './hold.ts';
import type { KnownCost } from './known-cost.ts';
import { reserve } from './reserve.ts';
import { paceDays, paceOf } from './usage/pace.ts';
import { maxUsageRows, toWireRows } from './usage/report.ts';
import { usageStore } from './usage/usage.store.ts';
import { readUsageQuery } from './usage/usage-query.ts';

export type { NewUsage, TokenSums, UsageRow } from './billing.store.ts';
export type { Hold } from './hold.ts';
export { type KnownCost, knownCost, knownCostOf, noCost, sumCosts, wireCost } from './known-cost.ts';
export type { Payment } from './payment.ts';
export { type Quote, quoteRequest, type RequestQuote, requirePrice, withMore } from './quote.ts';
export type { Spender } from './spender.ts';
export { type Spending, spendingModel } from './spending-model.ts';

export type BillingService = ReturnType<typeof createBillingService>;

const anonymizeBatchSize = 1_000;

/** How much of a workspace's credit is spent and reserved. */
export interface Account {
  spent: NanoUsd;
  reserved: NanoUsd;
}

/**
 * Money of workspaces with a limited balance: reserved before a request to a model, settled after it. Usage of other
 * workspaces is only counted; they have no account.
 */
export function createBillingService({ database, clock }: { database: Database; clock: Clock }) {
  return {
    /** Sets money aside for a turn, in the transaction that records it on the turn. */
    reserve,

    /** Gives back what was reserved and takes what was really spent. */
    async settle(tx: Transaction, workspaceId: string, reserved: NanoUsd, spent: NanoUsd): Promise<void> {
      await billingStore.move(tx, workspaceId, { reserved: formatUsd(-reserved), settled: formatUsd(spent) });
    },

    renewHold,
    releaseHold,

    /** Records usage outside a turn's steps; false if there is none, or it was recorded before. */
    async count(tx: Transaction, workspaceId: string, used: readonly NewUsage[]): Promise<boolean> {
      return used.length > 0 && billingStore.insertUsage(tx, workspaceId, used);
    },

    /** Removes whom the usage of these conversations was for, in the transaction that deletes them. */
    anonymize: billingStore.anonymize,

    /** The same for a user's usage whose conversations were deleted earlier, such as with their bot. */
    async anonymizeUser(workspaceId: string, externalUserId: string): Promise<void> {
      let changed: number;
      do
        changed = await billingStore.anonymizeUser(
          database.within(workspaceId),
          workspaceId,
          externalUserId,
          anonymizeBatchSize,
        );
      while (changed === anonymizeBatchSize);
    },

    /** Gives back the reservations of nodes that are gone. */
    releaseAbandoned(nodeId: string): Promise<void> {
      return billingStore.releaseReservationsAcrossWorkspaces(database.acrossWorkspaces, nodeId);
    },

    usageOfTurn(workspaceId: string, conversationId: string, turnId: string): Promise<UsageRow[]> {
      return billingStore.listOfTurn(database.within(workspaceId), workspaceId, turnId, conversationId);
    },

    /** Each request to a model, oldest first. */
    usageOfConversation(workspaceId: string, conversationId: string): Promise<UsageRow[]> {
      return billingStore.listOfConversation(database.within(workspaceId), workspaceId, conversationId);
    },

    async usageByModel(
      workspaceId: string,
      conversationId: string,
    ): Promise<(TokenSums & { model: string; cost: KnownCost })[]> {
      const rows = await billingStore.usageByModel(database.within(workspaceId), workspaceId, conversationId);
      return rows.map((row) => ({ ...row, cost: costIn(row) }));
    },

    /** The usage of each of these conversations; those without any are left out. */
    async usageOfConversations(
      workspaceId: string,
      conversationIds: readonly string[],
    ): Promise<Map<string, TokenSums & { cost: KnownCost }>> {
      if (conversationIds.length === 0) return new Map();
      const rows = await billingStore.usageByConversation(
        database.within(workspaceId),
        workspaceId,
        conversationIds,
      );
      return new Map(
        rows.map(({ conversationId, ...sums }) => [conversationId, { ...sums, cost: costIn(sums) }]),
      );
    },

    /** What turns have cost, by turn; turns without usage are left out. */
    async costOfTurns(
      workspaceId: string,
      turns: readonly { turnId: string; conversationId: string }[],
    ): Promise<Map<string, KnownCost>> {
      if (turns.length === 0) return new Map();
      const rows = await billingStore.costByTurn(database.within(workspaceId), workspaceId, {
        conversationIds: [...new Set(turns.map(({ conversationId }) => conversationId))],
        turnIds: turns.map(({ turnId }) => turnId),
      });
      return new Map(rows.map(({ turnId, ...sums }) => [turnId, costIn(sums)]));
    },

    account,

    /** The seconds until what a user has cost within 24 hours is below the limit; null if it already is. */
    secondsOverLimit(workspaceId: string, externalUserId: string, limitUsd: string): Promise<number | null> {
      return usageStore.secondsOverLimit(database.within(workspaceId), workspaceId, {
        externalUserId,
        limitUsd,
      });
    },

    /** What the workspace used, and what it has left of this credit. */
    async report(workspaceId: string, creditUsd: string | null, query: UsageQuery): Promise<UsageReport> {
      const wanted = readUsageQuery(query, clock.now());
      const rows = await usageStore.list(database.within(workspaceId), workspaceId, wanted, maxUsageRows + 1);
      if (rows.length > maxUsageRows) {
        throw new AppError('VALIDATION_FAILED', {
          message: `That is more than ${maxUsageRows.toLocaleString('en')} rows: request a shorter period, or fewer keys in by.`,
          details: [{ path: 'by', message: 'makes too many rows' }],
        });
      }
      const unpriced = rows.some(({ isPriced }) => !isPriced)
        ? await usageStore.listUnpriced(database.within(workspaceId), workspaceId, wanted)
        : [];
      const { spent } = creditUsd === null ? { spent: 0n } : await account(workspaceId);
      const balance = creditUsd === null ? null : formatUsd(parseUsd(creditUsd) - spent);
      const now = clock.now();
      const since = new Date(now.getTime() - paceDays * 24 * 60 * 60 * 1_000);
      const recent = await usageStore.spentSince(database.within(workspaceId), workspaceId, since);
      return {
        balance_usd: balance,
        ...paceOf(recent, balance, now),
        rows: toWireRows(rows, unpriced, wanted.by),
      };
    },
  };

  async function account(workspaceId: string): Promise<Account> {
    const known = await billingStore.findAccount(database.within(workspaceId), workspaceId);
    if (known) return { spent: parseUsd(known.settledUsd), reserved: parseUsd(known.reservedUsd) };
    const spent = parseUsd(await billingStore.costOfWorkspace(database.within(workspaceId), workspaceId));
    return { spent, reserved: 0n };
  }
}
