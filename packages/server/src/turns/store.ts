import type { Channel } from '@svc/contract/channels';
import type { KnownConversation } from '../conversations/service.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { and, desc, eq, getTableColumns, inArray, sql } from '../database/drizzle.ts';
import { formatUsd, type NanoUsd, parseUsd } from '../money.ts';
import { nodeLost } from '../nodes/presence.ts';
import type { Admission } from './admit/admission.ts';
import { admissionValues } from './admit/admission-values.ts';
import type { TurnLease } from './run/lease.ts';
import { turns } from './tables.ts';
import {
  admitFirst,
  admitToConversation,
  admitToNewConversation,
  writeReply,
  writeStep,
} from './write/statements.ts';
import { callRecord, messageRecord, outcomeRecord, traceRecord, usageRecord } from './write/step-records.ts';
import type { StepWrite } from './write/step-write.ts';

export type TurnRow = typeof turns.$inferSelect;
/** A turn that a node has just taken. */
export type TakenTurn = TurnRow & { channel: Channel };

/** Told to every node when a turn is to stop. The payload is the turn's id and who wants it. */
export const stopChannel = 'svc_turn_stop';

const open = ['running', 'paused'] as const;
const taken = {
  ...getTableColumns(turns),
  channel: sql<Channel>`(select channel from conversations where conversations.id = turns.conversation_id)`,
};

export const turnStore = {
  /**
   * The number of the turn's first event. Undefined when the conversation has an open turn already, when the workspace pays
   * and this was not known, or when the bot is no longer what it was.
   */
  async admit(query: Queryable, workspaceId: string, admission: Admission): Promise<number | undefined> {
    const statement = admission.newConversation ? admitToNewConversation : admitToConversation;
    const rows = await query.prepared<{ first: number }>(statement, admissionValues(workspaceId, admission));
    return rows[0]?.first;
  },

  /** The same, for a message that begins a conversation only if its user has none with the bot: else nothing but that one. */
  async admitFirst(
    query: Queryable,
    workspaceId: string,
    admission: Admission,
  ): Promise<number | KnownConversation | undefined> {
    const [row] = await query.prepared<FirstOrLatest>(admitFirst, admissionValues(workspaceId, admission));
    if (!row) return undefined;
    if (row.id === null) return row.first ?? undefined;
    return {
      id: row.id,
      workspaceId,
      lastSequence: row.last_sequence,
      operatorSequence: row.operator_sequence,
      summary: row.summary,
      summaryThrough: row.summary_through,
    };
  },

  /** The number of the step's first event, or undefined when the lease is no longer good. */
  async writeStep(query: Queryable, lease: TurnLease, write: StepWrite): Promise<number | undefined> {
    const values = [
      lease.turnId,
      lease.nodeId,
      lease.fence,
      write.step,
      write.status,
      write.replyIds,
      JSON.stringify(write.events),
      conversationStatus(write.status),
      JSON.stringify(write.messages.map(messageRecord)),
      JSON.stringify(write.usage.map(usageRecord)),
    ];
    const { trace, calls = [], outcomes = [] } = write;
    const rows =
      trace.length + calls.length + outcomes.length === 0
        ? await query.prepared<{ first: number }>(writeReply, values)
        : await query.prepared<{ first: number }>(writeStep, [
            ...values,
            JSON.stringify(trace.map(traceRecord)),
            JSON.stringify(calls.map(callRecord)),
            JSON.stringify(outcomes.map(outcomeRecord)),
          ]);
    return rows[0]?.first;
  },

  /** The first event of a step that is stored although nobody was told; undefined when it is not. */
  async findWritten(query: Queryable, lease: TurnLease, write: StepWrite): Promise<number | undefined> {
    const newest = sql<number>`(select max(sequence)::int from events where turn_id = ${lease.turnId} and conversation_id = ${lease.conversationId})`;
    const rows = await query
      .select({ newest })
      .from(turns)
      .where(and(sameHands(lease), eq(turns.steps, write.step + 1)));
    return rows[0] && rows[0].newest - write.events.length + 1;
  },

  /** Forgets what was set aside for a turn and returns how much it was. */
  async clearReservation(tx: Transaction, lease: TurnLease): Promise<string> {
    const before = await tx.select({ reserved: turns.reservedUsd }).from(turns).where(sameHands(lease));
    await tx.update(turns).set({ reservedUsd: '0' }).where(sameHands(lease));
    return before[0]?.reserved ?? '0';
  },

  /** What is set aside for a turn, which stays so until the transaction ends; undefined when the lease is no longer good. */
  async lockReservation(tx: Transaction, lease: TurnLease): Promise<NanoUsd | undefined> {
    const rows = await tx
      .select({ reserved: turns.reservedUsd })
      .from(turns)
      .where(held(lease))
      .for('no key update');
    return rows[0] && parseUsd(rows[0].reserved);
  },

  /** Notes what is set aside for a turn. */
  async setReservation(tx: Transaction, lease: TurnLease, reserved: NanoUsd): Promise<void> {
    await tx
      .update(turns)
      .set({ reservedUsd: formatUsd(reserved) })
      .where(held(lease));
  },

  async find(query: Queryable, workspaceId: string, turnId: string): Promise<TurnRow | undefined> {
    const rows = await query
      .select()
      .from(turns)
      .where(and(eq(turns.id, turnId), eq(turns.workspaceId, workspaceId)));
    return rows[0];
  },

  async findOpen(
    query: Queryable,
    workspaceId: string,
    conversationId: string,
  ): Promise<TurnRow | undefined> {
    const rows = await query
      .select()
      .from(turns)
      .where(
        and(
          eq(turns.conversationId, conversationId),
          eq(turns.workspaceId, workspaceId),
          inArray(turns.status, open),
        ),
      );
    return rows[0];
  },

  /** Replies of the latest turns that were begun and taken back. */
  async listRetracted(
    query: Queryable,
    workspaceId: string,
    conversationId: string,
  ): Promise<{ turnId: string; messageId: string }[]> {
    const rows = await query
      .select({ turnId: turns.id, retracted: turns.retractedIds, replies: turns.replyIds })
      .from(turns)
      .where(
        and(
          eq(turns.conversationId, conversationId),
          eq(turns.workspaceId, workspaceId),
          // A turn that is over has no reply any more, only those that were taken back.
          sql`(cardinality(${turns.retractedIds}) > 0 or cardinality(${turns.replyIds}) > 1)`,
        ),
      )
      .orderBy(desc(turns.startedAt))
      .limit(3);
    return rows.flatMap(({ turnId, retracted, replies }) =>
      [...retracted, ...replies.slice(0, -1)].map((messageId) => ({ turnId, messageId })),
    );
  },

  async count(query: Queryable, workspaceId: string, conversationId: string): Promise<number> {
    const rows = await query
      .select({ count: sql<number>`count(*)::int` })
      .from(turns)
      .where(and(eq(turns.conversationId, conversationId), eq(turns.workspaceId, workspaceId)));
    return rows[0]?.count ?? 0;
  },

  /** Marks an open turn and tells its owner, in one transaction. */
  async requestStop(tx: Transaction, workspaceId: string, turnId: string, by: string): Promise<void> {
    await tx
      .update(turns)
      .set({ stopRequestedAt: sql`coalesce(${turns.stopRequestedAt}, now())`, stopRequestedBy: by })
      .where(and(eq(turns.id, turnId), eq(turns.workspaceId, workspaceId), inArray(turns.status, open)));
    await tx.execute(sql`select pg_notify(${stopChannel}, ${`${turnId} ${by}`})`);
  },

  /**
   * Takes running turns whose node is gone, each with a new fence. Nodes that do this together never get the same. A
   * node's own turns are not gone, even if it could not say for a while that it lives.
   */
  claimAbandonedAcrossWorkspaces(query: Queryable, nodeId: string, limit: number): Promise<TakenTurn[]> {
    const abandoned = sql`select id from ${turns} where ${turns.status} = 'running'
      and (${turns.nodeId} is null or (${turns.nodeId} <> ${nodeId} and ${nodeLost(turns.nodeId)}))
      limit ${limit} for update skip locked`;
    return query
      .update(turns)
      .set(takenBy(nodeId))
      .where(sql`${turns.id} in (${abandoned})`)
      .returning(taken);
  },

  /** Running turns that are this node's. */
  listHeldAcrossWorkspaces(query: Queryable, nodeId: string): Promise<TurnRow[]> {
    return query
      .select()
      .from(turns)
      .where(and(eq(turns.nodeId, nodeId), eq(turns.status, 'running')));
  },

  /** Takes one turn from whoever has it; with a fence, only if it did not change hands since that was read. */
  async take(
    query: Queryable,
    workspaceId: string,
    turn: { id: string; fence?: number },
    nodeId: string,
  ): Promise<TakenTurn | undefined> {
    const isTurn = and(eq(turns.id, turn.id), eq(turns.workspaceId, workspaceId));
    const isSame = turn.fence === undefined ? undefined : eq(turns.fence, turn.fence);
    const rows = await query
      .update(turns)
      .set(takenBy(nodeId))
      .where(and(isTurn, isSame, eq(turns.status, 'running')))
      .returning(taken);
    return rows[0];
  },

  /** Adds the id of the reply that is begun now; undefined when the lease is no longer good. */
  async beginReply(query: Queryable, lease: TurnLease, replyId: string): Promise<string[] | undefined> {
    const rows = await query
      .update(turns)
      .set({ replyIds: sql`array_append(${turns.replyIds}, ${replyId}::uuid)` })
      .where(held(lease))
      .returning({ replyIds: turns.replyIds });
    return rows[0]?.replyIds;
  },

  /** Takes a paused turn up again; undefined when it is not paused any more. */
  async unpause(
    tx: Transaction,
    workspaceId: string,
    turnId: string,
    nodeId: string,
  ): Promise<TakenTurn | undefined> {
    const rows = await tx
      .update(turns)
      .set({ ...takenBy(nodeId), status: 'running' })
      .where(and(eq(turns.id, turnId), eq(turns.workspaceId, workspaceId), eq(turns.status, 'paused')))
      .returning(taken);
    return rows[0];
  },

  /** Gives a turn back unfinished, free for any node at once. */
  async handOver(query: Queryable, lease: TurnLease): Promise<void> {
    await query.update(turns).set({ nodeId: null }).where(held(lease));
  },
};

interface FirstOrLatest {
  first: number | null;
  id: string | null;
  last_sequence: number;
  operator_sequence: number;
  summary: string | null;
  summary_through: number;
}

function held(lease: TurnLease) {
  return and(sameHands(lease), eq(turns.status, 'running'));
}

function sameHands(lease: TurnLease) {
  return and(
    eq(turns.id, lease.turnId),
    eq(turns.workspaceId, lease.workspaceId),
    eq(turns.nodeId, lease.nodeId),
    eq(turns.fence, lease.fence),
  );
}

function takenBy(nodeId: string) {
  return { nodeId, fence: sql`${turns.fence} + 1` };
}

function conversationStatus(status: StepWrite['status']): 'running' | 'paused' | 'idle' {
  return status === 'running' || status === 'paused' ? status : 'idle';
}
