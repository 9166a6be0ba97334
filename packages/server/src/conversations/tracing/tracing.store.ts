import type { Queryable, Transaction } from '../../database/database.ts';
import { and, asc, eq } from '../../database/drizzle.ts';
import { traceSteps } from '../conversations.tables.ts';

export type TraceStepRow = typeof traceSteps.$inferSelect;
export type NewTraceStep = Omit<TraceStepRow, 'workspaceId'>;

export const traceStore = {
  /** In the order in which the steps began. */
  list(query: Queryable, workspaceId: string, conversationId: string): Promise<TraceStepRow[]> {
    return query
      .select()
      .from(traceSteps)
      .where(and(eq(traceSteps.conversationId, conversationId), eq(traceSteps.workspaceId, workspaceId)))
      .orderBy(asc(traceSteps.id));
  },

  /** In the order in which the steps began. */
  listOfTurn(
    query: Queryable,
    workspaceId: string,
    { conversationId, turnId }: { conversationId: string; turnId: string },
  ): Promise<TraceStepRow[]> {
    return query
      .select()
      .from(traceSteps)
      .where(
        and(
          eq(traceSteps.conversationId, conversationId),
          eq(traceSteps.workspaceId, workspaceId),
          eq(traceSteps.turnId, turnId),
        ),
      )
      .orderBy(asc(traceSteps.startedAt), asc(traceSteps.id));
  },

  async insert(tx: Transaction, workspaceId: string, step: NewTraceStep): Promise<void> {
    await tx.insert(traceSteps).values({ ...step, workspaceId });
  },
};
