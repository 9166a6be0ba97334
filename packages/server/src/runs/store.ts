import type { Queryable, Transaction } from '../database/database.ts';
import { and, eq, inArray, lte, sql } from '../database/drizzle.ts';
import { runs } from './tables.ts';

export type RunRow = typeof runs.$inferSelect;
export type NewRun = Pick<
  RunRow,
  | 'turnId'
  | 'botId'
  | 'conversationId'
  | 'trigger'
  | 'goal'
  | 'payload'
  | 'maxIterations'
  | 'outputConfig'
  | 'startedAt'
  | 'deadlineAt'
>;
export type RunChange = Partial<
  Pick<
    RunRow,
    | 'status'
    | 'iterations'
    | 'finalOutput'
    | 'error'
    | 'endedAt'
    | 'webhookStatus'
    | 'webhookAttempts'
    | 'webhookError'
  >
>;

const open = ['running', 'paused'] as const;

export const runStore = {
  /** Undefined when the agent has an unfinished run. Waits for a run that is being inserted concurrently. */
  async insert(tx: Transaction, workspaceId: string, run: NewRun): Promise<RunRow | undefined> {
    const rows = await tx
      .insert(runs)
      .values({ ...run, workspaceId })
      .onConflictDoNothing()
      .returning();
    return rows[0];
  },

  async find(query: Queryable, workspaceId: string, turnId: string): Promise<RunRow | undefined> {
    const rows = await query.select().from(runs).where(isRun(workspaceId, turnId));
    return rows[0];
  },

  /** The newest of each conversation. */
  listLatest(query: Queryable, workspaceId: string, conversationIds: string[]): Promise<RunRow[]> {
    const inThese = and(eq(runs.workspaceId, workspaceId), inArray(runs.conversationId, conversationIds));
    const newest = sql`select distinct on (${runs.conversationId}) ${runs.turnId} from ${runs}
      where ${inThese} order by ${runs.conversationId}, ${runs.turnId} desc`;
    return query.select().from(runs).where(sql`${runs.turnId} in (${newest})`);
  },

  async change(tx: Queryable, workspaceId: string, turnId: string, change: RunChange): Promise<void> {
    await tx.update(runs).set(change).where(isRun(workspaceId, turnId));
  },

  async remove(tx: Transaction, workspaceId: string, turnIds: string[]): Promise<void> {
    await tx.delete(runs).where(and(eq(runs.workspaceId, workspaceId), inArray(runs.turnId, turnIds)));
  },

  listOverdueAcrossWorkspaces(query: Queryable, now: Date, limit: number): Promise<RunRow[]> {
    return query
      .select()
      .from(runs)
      .where(and(inArray(runs.status, open), lte(runs.deadlineAt, now)))
      .limit(limit);
  },
};

function isRun(workspaceId: string, turnId: string) {
  return and(eq(runs.turnId, turnId), eq(runs.workspaceId, workspaceId));
}
