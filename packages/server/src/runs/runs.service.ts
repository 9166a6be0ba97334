import type { Transaction } from '../database/database.ts';
import type { Services } from '../services.ts';
import {
  type HistoryCursor,
  type ListedRun,
  type RunChange,
  type RunFilter,
  type RunRow,
  runStore,
} from './runs.store.ts';
import { runWebhookQueue } from './webhook/run-webhook.queue.ts';
import type { Delivery } from './webhook/run-webhook-sender.ts';

export type { HistoryCursor, ListedRun, NewRun, RunRow, StartedRun } from './runs.store.ts';
export { finalOutputOf, toWebhook, toWireRun } from './runs.wire.ts';

/** How a run ended. */
export type RunEnd = Required<Pick<RunChange, 'status' | 'finalOutput' | 'error' | 'endedAt'>>;
export type RunService = ReturnType<typeof createRunService>;

const overdueBatchSize = 100;

/** The records of runs. Turns advance them, in the transactions of their steps. */
export function createRunService({ database, jobs }: Pick<Services, 'database' | 'jobs'>) {
  return {
    /** Records a new run; undefined while the agent has an unfinished one. */
    open: runStore.insert,

    /** The run of a turn; undefined for turns of chats. */
    find(workspaceId: string, turnId: string): Promise<RunRow | undefined> {
      return runStore.find(database.within(workspaceId), workspaceId, turnId);
    },

    /** The newest run of each conversation that has one, by conversation. */
    async latestOf(workspaceId: string, conversationIds: string[]): Promise<Map<string, RunRow>> {
      if (conversationIds.length === 0) return new Map();
      const rows = await runStore.listLatest(database.within(workspaceId), workspaceId, conversationIds);
      return new Map(rows.map((row) => [row.conversationId, row]));
    },

    /** Newest first, by the time of their start. */
    list(workspaceId: string, filter: RunFilter & { before?: HistoryCursor; limit: number }) {
      return runStore.list(database.within(workspaceId), workspaceId, filter);
    },

    /** The runs that started within a time, newest first. */
    listStarted(workspaceId: string, filter: { from: Date; until: Date; botId?: string; limit: number }) {
      return runStore.listStarted(database.within(workspaceId), workspaceId, filter);
    },

    /** Scheduled runs of these conversations that started at one of these times. */
    async listScheduled(workspaceId: string, filter: { conversationIds: string[]; startedAt: Date[] }) {
      if (filter.conversationIds.length === 0) return [];
      return runStore.listScheduled(database.within(workspaceId), workspaceId, filter);
    },

    /** The runs that are not over, by agent. */
    async openByAgent(workspaceId: string): Promise<Map<string, ListedRun>> {
      const rows = await runStore.listOpen(database.within(workspaceId), workspaceId);
      return new Map(rows.map((row) => [row.botId, row]));
    },

    /** The run of an agent that is not over. */
    findOpen(workspaceId: string, botId: string): Promise<ListedRun | undefined> {
      return runStore.findOpen(database.within(workspaceId), workspaceId, botId);
    },

    async countIteration(tx: Transaction, { workspaceId, turnId, iterations }: RunRow): Promise<undefined> {
      await runStore.change(tx, workspaceId, turnId, { iterations });
    },

    /** Does nothing for turns of chats. */
    async setStatus(tx: Transaction, workspaceId: string, turnId: string, status: 'running' | 'paused') {
      await runStore.change(tx, workspaceId, turnId, { status });
    },

    /** The webhook is enqueued in the same transaction, so that it reports what was really written. */
    async end(tx: Transaction, run: RunRow, end: RunEnd): Promise<undefined> {
      const { workspaceId, turnId, outputConfig } = run;
      const hasWebhook = outputConfig?.webhook_url !== undefined;
      await runStore.change(tx, workspaceId, turnId, {
        ...end,
        ...(hasWebhook && { webhookStatus: 'pending' }),
      });
      if (hasWebhook) await jobs.enqueue(tx, runWebhookQueue, { workspaceId, turnId });
    },

    /** Removes the runs of removed turns; that of `lastTurnId`, which is only shortened, loses its output. */
    async truncate(tx: Transaction, workspaceId: string, turnIds: string[], lastTurnId: string | null) {
      const removed = turnIds.filter((turnId) => turnId !== lastTurnId);
      if (removed.length > 0) await runStore.remove(tx, workspaceId, removed);
      if (lastTurnId !== null && turnIds.includes(lastTurnId)) {
        await runStore.change(tx, workspaceId, lastTurnId, { finalOutput: null });
      }
    },

    async noteDelivery({ workspaceId, turnId }: RunRow, delivery: Delivery): Promise<void> {
      await runStore.change(database.within(workspaceId), workspaceId, turnId, delivery);
    },

    /** Runs that are past their deadline and not over. */
    listOverdue(now: Date): Promise<RunRow[]> {
      return runStore.listOverdueAcrossWorkspaces(database.acrossWorkspaces, now, overdueBatchSize);
    },
  };
}
