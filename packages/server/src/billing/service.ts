import type { UsageQuery, UsageReport } from '@svc/contract/usage';
import { AppError } from '../app-error.ts';
import type { Clock } from '../clock.ts';
import type { Database, Transaction } from '../database/database.ts';
import { formatUsd, type NanoUsd, parseUsd } from '../money.ts';
import { reserve } from './reserve.ts';
import { billingStore, type ModelUsage, type NewUsage, type UsageRow } from './store.ts';
import { mostUsageRows, toWireRow } from './usage/report.ts';
import { usageStore } from './usage/store.ts';
import { readUsageQuery } from './usage/usage-query.ts';

export type { Payment } from './payment.ts';
export { type Quote, quoteRequest, type RequestQuote, requirePrice, withMore } from './quote.ts';
export type { Spender } from './spender.ts';
export { type Spending, spendingModel } from './spending-model.ts';
export type { ModelUsage } from './store.ts';

export type BillingService = ReturnType<typeof createBillingService>;

/** What became of a workspace's credit. */
export interface Account {
  spent: NanoUsd;
  reserved: NanoUsd;
}

/**
 * Money of workspaces that have a limited balance: set aside before a model is asked, settled after it. Workspaces without
 * a limit are only counted, and have no account.
 */
export function createBillingService({ database, clock }: { database: Database; clock: Clock }) {
  return {
    /** Sets money aside for a turn, in the transaction that notes it there. */
    reserve,

    /** Gives back what was reserved and takes what was really spent. */
    async settle(tx: Transaction, workspaceId: string, reserved: NanoUsd, spent: NanoUsd): Promise<void> {
      await billingStore.move(tx, workspaceId, { reserved: formatUsd(-reserved), settled: formatUsd(spent) });
    },

    /** Counts what was used apart from a turn's steps. */
    async count(tx: Transaction, workspaceId: string, used: readonly NewUsage[]): Promise<void> {
      if (used.length > 0) await billingStore.insertUsage(tx, workspaceId, used);
    },

    /** Gives back what was set aside by nodes that are gone. */
    releaseAbandoned(nodeId: string): Promise<void> {
      return billingStore.releaseReservationsAcrossWorkspaces(database.query, nodeId);
    },

    usageOfTurn(workspaceId: string, conversationId: string, turnId: string): Promise<UsageRow[]> {
      return billingStore.listOfTurn(database.query, workspaceId, turnId, conversationId);
    },

    usageByModel(workspaceId: string, conversationId: string): Promise<ModelUsage[]> {
      return billingStore.usageByModel(database.query, workspaceId, conversationId);
    },

    /** What was used in each of these conversations; one in which nothing was is left out. */
    async usageOfConversations(
      workspaceId: string,
      conversationIds: readonly string[],
    ): Promise<Map<string, Omit<ModelUsage, 'model'>>> {
      if (conversationIds.length === 0) return new Map();
      const rows = await billingStore.usageByConversation(database.query, workspaceId, conversationIds);
      return new Map(rows.map(({ conversationId, ...usage }) => [conversationId, usage]));
    },

    account,

    /** What the workspace used, and what it has left of this credit. */
    async report(workspaceId: string, creditUsd: string | null, query: UsageQuery): Promise<UsageReport> {
      const wanted = readUsageQuery(query, clock.now());
      const rows = await usageStore.list(database.query, workspaceId, wanted, mostUsageRows + 1);
      if (rows.length > mostUsageRows) {
        throw new AppError('VALIDATION_FAILED', {
          message: `That is more than ${mostUsageRows.toLocaleString('en')} rows: ask for a shorter time, or for fewer keys in by.`,
          details: [{ path: 'by', message: 'makes too many rows' }],
        });
      }
      const { spent } = creditUsd === null ? { spent: 0n } : await account(workspaceId);
      return {
        balance_usd: creditUsd === null ? null : formatUsd(parseUsd(creditUsd) - spent),
        rows: rows.map((row) => toWireRow(row, wanted.by)),
      };
    },
  };

  async function account(workspaceId: string): Promise<Account> {
    const known = await billingStore.findAccount(database.query, workspaceId);
    if (known) return { spent: parseUsd(known.settledUsd), reserved: parseUsd(known.reservedUsd) };
    const spent = parseUsd(await billingStore.costOfWorkspace(database.query, workspaceId));
    return { spent, reserved: 0n };
  }
}
