import { AppError } from '../app-error.ts';
import type { Database, Transaction } from '../database/database.ts';
import { formatUsd, type NanoUsd, parseUsd } from '../money.ts';
import { type AccountRow, billingStore, type ModelUsage, type NewUsage, type UsageRow } from './store.ts';

export type { ModelUsage } from './store.ts';
export type Charge = Omit<NewUsage, 'workspaceId'>;
export type BillingService = ReturnType<typeof createBillingService>;

/**
 * Money of workspaces that have a limited balance: reserve before a step, settle after it. Workspaces without a limit
 * are only counted, and have no account.
 */
export function createBillingService({ database }: { database: Database }) {
  return {
    /** Sets an amount aside, or throws INSUFFICIENT_BALANCE and changes nothing. */
    async reserve(tx: Transaction, workspaceId: string, creditUsd: string, amount: NanoUsd): Promise<void> {
      const available = availableOf(await billingStore.lock(tx, workspaceId), creditUsd);
      if (available <= 0n || available < amount) throw new AppError('INSUFFICIENT_BALANCE');
      await billingStore.move(tx, workspaceId, { reserved: formatUsd(amount), settled: '0' });
    },

    /** Throws INSUFFICIENT_BALANCE when nothing is left to spend; sets nothing aside. */
    async checkBalance(workspaceId: string, creditUsd: string): Promise<void> {
      const account = await database.transaction((tx) => billingStore.lock(tx, workspaceId));
      if (availableOf(account, creditUsd) <= 0n) throw new AppError('INSUFFICIENT_BALANCE');
    },

    /** Gives back what was reserved and takes what was really spent. */
    async settle(tx: Transaction, workspaceId: string, reserved: NanoUsd, spent: NanoUsd): Promise<void> {
      await billingStore.move(tx, workspaceId, { reserved: formatUsd(-reserved), settled: formatUsd(spent) });
    },

    /** Counts what was used outside a turn's own steps, and takes it from a limited balance. */
    async charge(tx: Transaction, workspaceId: string, usage: Charge, isMetered: boolean): Promise<void> {
      await billingStore.insertUsage(tx, workspaceId, usage);
      if (isMetered) await billingStore.move(tx, workspaceId, { reserved: '0', settled: usage.costUsd });
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

    /** Everything the workspace has spent. */
    spent(workspaceId: string): Promise<string> {
      return billingStore.costOfWorkspace(database.query, workspaceId);
    },
  };
}

function availableOf({ settledUsd, reservedUsd }: AccountRow, creditUsd: string): NanoUsd {
  return parseUsd(creditUsd) - parseUsd(settledUsd) - parseUsd(reservedUsd);
}
