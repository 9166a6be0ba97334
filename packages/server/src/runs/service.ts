import type { Database, Transaction } from '../database/database.ts';
import { type NewRun, type RunChange, type RunRow, runStore } from './store.ts';

export type { NewRun, RunRow } from './store.ts';
export { finalOutputOf, toWireRun } from './wire.ts';

/** How a run ended. */
export type RunEnd = Required<Pick<RunChange, 'status' | 'finalOutput' | 'error' | 'endedAt'>>;

export type RunService = ReturnType<typeof createRunService>;

const overdueAtOnce = 100;

/** The record of runs. Turns advance them: what is written here takes part in the transaction of a turn's step. */
export function createRunService({ database }: { database: Database }) {
  return {
    /** Puts a run on record; undefined while the agent has one that is not over. */
    open(tx: Transaction, workspaceId: string, run: NewRun): Promise<RunRow | undefined> {
      return runStore.insert(tx, workspaceId, run);
    },

    /** The run of a turn; undefined for turns of chats. */
    find(workspaceId: string, turnId: string): Promise<RunRow | undefined> {
      return runStore.find(database.query, workspaceId, turnId);
    },

    /** The newest run of each conversation that has one, by conversation. */
    async latestOf(workspaceId: string, conversationIds: string[]): Promise<Map<string, RunRow>> {
      if (conversationIds.length === 0) return new Map();
      const rows = await runStore.listLatest(database.query, workspaceId, conversationIds);
      return new Map(rows.map((row) => [row.conversationId, row]));
    },

    async countIteration(tx: Transaction, { workspaceId, turnId, iterations }: RunRow): Promise<undefined> {
      await runStore.change(tx, workspaceId, turnId, { iterations });
    },

    /** Does nothing for turns of chats. */
    async setStatus(
      tx: Transaction,
      workspaceId: string,
      turnId: string,
      status: 'running' | 'paused',
    ): Promise<void> {
      await runStore.change(tx, workspaceId, turnId, { status });
    },

    async end(tx: Transaction, { workspaceId, turnId }: RunRow, end: RunEnd): Promise<void> {
      await runStore.change(tx, workspaceId, turnId, end);
    },

    /** Runs that are not over although their deadline is. */
    listOverdue(now: Date): Promise<RunRow[]> {
      return runStore.listOverdueAcrossWorkspaces(database.query, now, overdueAtOnce);
    },
  };
}
