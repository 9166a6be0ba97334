import type { RunTrigger } from '@svc/contract/conversations';
import type { HistoryStatus } from '@svc/contract/run-history';
import type { Queryable, Transaction } from '../database/database.ts';
import { and, desc, eq, getTableColumns, gte, inArray, lt, lte, or, sql } from '../database/drizzle.ts';
import { runs } from './runs.tables.ts';

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

/** Where the history continues: the entry that was shown last. */
export interface HistoryCursor {
  at: Date;
  /** Orders entries of the same time. */
  key: string;
}

export interface RunFilter {
  bot_id?: string;
  status?: Exclude<HistoryStatus, 'skipped'>;
  trigger?: RunTrigger;
}

/** A run as lists show it, without its long texts. */
export type ListedRun = Omit<RunRow, 'goal' | 'finalOutput' | 'outputConfig'>;

/** Characters of the payload that lists show. */
const shownPayload = 200;

const {
  goal: _goal,
  finalOutput: _finalOutput,
  outputConfig: _outputConfig,
  ...listed
} = getTableColumns(runs);

export type StartedRun = Pick<RunRow, 'botId' | 'conversationId' | 'status' | 'startedAt' | 'error'>;

const started = {
  botId: runs.botId,
  conversationId: runs.conversationId,
  status: runs.status,
  startedAt: runs.startedAt,
  error: runs.error,
};

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

  /** Newest first, by the time of their start. */
  list(query: Queryable, workspaceId: string, filter: RunFilter & { before?: HistoryCursor; limit: number }) {
    const { bot_id: botId, status, trigger, before, limit } = filter;
    const isBefore =
      before &&
      and(
        lte(runs.startedAt, before.at),
        or(
          lt(runs.startedAt, before.at),
          sql`${runs.turnId}::text collate "C" < ${before.key}::text collate "C"`,
        ),
      );
    return query
      .select({
        ...listed,
        payload: sql<string | null>`left(${runs.payload}, ${sql.raw(String(shownPayload))})`,
      })
      .from(runs)
      .where(
        and(
          eq(runs.workspaceId, workspaceId),
          botId === undefined ? undefined : eq(runs.botId, botId),
          status === undefined ? undefined : eq(runs.status, status),
          trigger === undefined ? undefined : eq(runs.trigger, trigger),
          isBefore,
        ),
      )
      .orderBy(desc(runs.startedAt), desc(runs.turnId))
      .limit(limit);
  },

  /** The runs that started within a time, newest first. */
  listStarted(
    query: Queryable,
    workspaceId: string,
    { from, until, botId, limit }: { from: Date; until: Date; botId?: string; limit: number },
  ): Promise<StartedRun[]> {
    return query
      .select(started)
      .from(runs)
      .where(
        and(
          eq(runs.workspaceId, workspaceId),
          gte(runs.startedAt, from),
          lt(runs.startedAt, until),
          botId === undefined ? undefined : eq(runs.botId, botId),
        ),
      )
      .orderBy(desc(runs.startedAt))
      .limit(limit);
  },

  /** Scheduled runs of these conversations that started at one of these times. */
  listScheduled(
    query: Queryable,
    workspaceId: string,
    { conversationIds, startedAt }: { conversationIds: string[]; startedAt: Date[] },
  ): Promise<StartedRun[]> {
    return query
      .select(started)
      .from(runs)
      .where(
        and(
          eq(runs.workspaceId, workspaceId),
          inArray(runs.conversationId, conversationIds),
          inArray(runs.startedAt, startedAt),
          eq(runs.trigger, 'schedule'),
        ),
      );
  },

  /** The runs that are not over; an agent has at most one. */
  listOpen(query: Queryable, workspaceId: string): Promise<ListedRun[]> {
    return query
      .select(listed)
      .from(runs)
      .where(and(eq(runs.workspaceId, workspaceId), inArray(runs.status, open)));
  },

  async findOpen(query: Queryable, workspaceId: string, botId: string): Promise<ListedRun | undefined> {
    const rows = await query
      .select(listed)
      .from(runs)
      .where(and(eq(runs.workspaceId, workspaceId), eq(runs.botId, botId), inArray(runs.status, open)));
    return rows[0];
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
