import type { Transaction } from '../../database/database.ts';
import { and, eq, sql } from '../../database/drizzle.ts';
import { conversationStore } from '../conversations.store.ts';
import { messages, type ToolCallStatus, toolCalls, traceSteps } from '../conversations.tables.ts';
import type { TraceEntry } from '../tracing/trace-entry.ts';

/** Outcomes that became known after their turn had continued without them. */
export const lateOutcomeStore = {
  /** Locks the conversation, as a step of a turn does. The message is null while the call has no end. */
  async lock(tx: Transaction, workspaceId: string, conversationId: string, callId: string) {
    await conversationStore.lock(tx, workspaceId, conversationId);
    const isAnswer = and(
      eq(messages.conversationId, toolCalls.conversationId),
      sql`${messages.toolCallId} = ${toolCalls.id}::text`,
    );
    const rows = await tx
      .select({ call: toolCalls, message: messages })
      .from(toolCalls)
      .leftJoin(messages, isAnswer)
      .where(and(eq(toolCalls.id, callId), eq(toolCalls.workspaceId, workspaceId)));
    return rows[0];
  },

  async change(
    tx: Transaction,
    workspaceId: string,
    { call, message }: { call: { id: string }; message: { id: string } },
    { status, content }: { status: ToolCallStatus; content: string },
  ): Promise<void> {
    await tx
      .update(toolCalls)
      .set({ status })
      .where(and(eq(toolCalls.id, call.id), eq(toolCalls.workspaceId, workspaceId)));
    await tx
      .update(messages)
      .set({ content, failed: status !== 'ok' })
      .where(and(eq(messages.id, message.id), eq(messages.workspaceId, workspaceId)));
  },

  /** Adds a step to the trace of a turn, if it has one. */
  async trace(
    tx: Transaction,
    workspaceId: string,
    place: { conversationId: string; turnId: string; sequence: number },
    entry: TraceEntry,
  ): Promise<void> {
    const ofTurn = and(
      eq(traceSteps.conversationId, place.conversationId),
      eq(traceSteps.workspaceId, workspaceId),
      eq(traceSteps.turnId, place.turnId),
    );
    const [traced] = await tx.select({ id: traceSteps.id }).from(traceSteps).where(ofTurn).limit(1);
    if (traced) await tx.insert(traceSteps).values({ ...entry, ...place, workspaceId, usage: null });
  },
};
