import type { Channel } from '@svc/contract/channels';
import type { KnownConversation } from '../conversations/conversations.service.ts';
import { isRowMissing, type Queryable, type Transaction } from '../database/database.ts';
import { and, asc, desc, eq, getTableColumns, inArray, sql } from '../database/drizzle.ts';
import { formatUsd, type NanoUsd, parseUsd } from '../lib/money.ts';
import { nodeLost } from '../nodes/presence.ts';
import type { NotAdmitted } from './admit/admission.ts';
import type { NewTurn } from './admit/new-turn.ts';
import type { TurnLease } from './run/lease.ts';
import { type TurnError, turns } from './turns.tables.ts';
import { admissionValues, replyValues, stepValues } from './write/statement-values.ts';
import { admissionStatement, writeReply, writeStep } from './write/statements.ts';
import type { StepChanges } from './write/step-changes.ts';

export type TurnRow = typeof turns.$inferSelect;
/** A turn that a node has just taken. */
export type TakenTurn = TurnRow & { channel: Channel };

/** Notifies every node that a turn is to stop. The payload is the turn's id and who requested it. */
export const stopChannel = 'svc_turn_stop';

const open = ['running', 'paused'] as const;
const taken = {
  ...getTableColumns(turns),
  channel: sql<Channel>`(select channel from conversations where conversations.id = turns.conversation_id)`,
};

export const turnStore = {
  /**
   * Writes a turn, or returns why not: the statement itself finds out, in one round trip. A transaction is aborted if the
   * conversation is deleted.
   */
  async admit(query: Queryable, workspaceId: string, turn: NewTurn): Promise<WrittenTurn | NotAdmitted> {
    const statement = admissionStatement(turn.newConversation);
    let row: AdmissionRow | undefined;
    try {
      [row] = await query.prepared<AdmissionRow>(statement, admissionValues(workspaceId, turn));
    } catch (error) {
      if (isRowMissing(error)) return { kind: 'deleted' };
      throw error;
    }
    if (!row?.is_current) return { kind: 'stale_bot' };
    const { first, is_handed_off: isHandedOff = false } = row;
    if (first !== null) return { kind: 'admitted', firstEvent: first, isHandedOff };
    if (row.elsewhere) return { kind: 'elsewhere', conversation: { ...row.elsewhere, workspaceId } };
    return { kind: row.is_covered ? 'busy' : 'needs_reservation' };
  },

  /** The number of the step's first event; undefined if the lease is no longer valid. */
  async writeStep(query: Queryable, lease: TurnLease, write: StepChanges): Promise<number | undefined> {
    const { trace, calls = [], outcomes = [] } = write;
    const isReplyOnly = trace.length + calls.length + outcomes.length === 0;
    const rows = isReplyOnly
      ? await query.prepared<{ first: number }>(writeReply, replyValues(lease, write))
      : await query.prepared<{ first: number }>(writeStep, stepValues(lease, write));
    return rows[0]?.first;
  },

  /** The first event of a step that was stored although its answer was lost; undefined if it was not. */
  async findWritten(query: Queryable, lease: TurnLease, write: StepChanges): Promise<number | undefined> {
    const newest = sql<number>`(select max(sequence)::int from events where turn_id = ${lease.turnId} and conversation_id = ${lease.conversationId})`;
    const rows = await query
      .select({ newest })
      .from(turns)
      .where(and(sameHands(lease), eq(turns.steps, write.step + 1)));
    return rows[0] && rows[0].newest - write.events.length + 1;
  },

  /** Clears the reservation of a turn and returns how much it was. */
  async clearReservation(tx: Transaction, lease: TurnLease): Promise<string> {
    const before = await tx.select({ reserved: turns.reservedUsd }).from(turns).where(sameHands(lease));
    await tx.update(turns).set({ reservedUsd: '0' }).where(sameHands(lease));
    return before[0]?.reserved ?? '0';
  },

  /** The reservation of a turn, locked until the transaction ends; undefined if the lease is no longer valid. */
  async lockReservation(tx: Transaction, lease: TurnLease): Promise<NanoUsd | undefined> {
    const rows = await tx
      .select({ reserved: turns.reservedUsd })
      .from(turns)
      .where(held(lease))
      .for('no key update');
    return rows[0] && parseUsd(rows[0].reserved);
  },

  /** Stores how much is reserved for a turn. */
  async setReservation(tx: Transaction, lease: TurnLease, reserved: NanoUsd): Promise<void> {
    await tx
      .update(turns)
      .set({ reservedUsd: formatUsd(reserved) })
      .where(held(lease));
  },

  /** Stores why a turn fails, in the transaction that ends it. */
  async setError(tx: Transaction, lease: TurnLease, error: TurnError): Promise<void> {
    await tx.update(turns).set({ error }).where(held(lease));
  },

  async find(query: Queryable, workspaceId: string, turnId: string): Promise<TurnRow | undefined> {
    const rows = await query
      .select()
      .from(turns)
      .where(and(eq(turns.id, turnId), eq(turns.workspaceId, workspaceId)));
    return rows[0];
  },

  /** Whether a turn used this draft of a bot, by the index of drafts. */
  async usesDraft(query: Queryable, workspaceId: string, botId: string, version: number): Promise<boolean> {
    const number = sql`${turns.options} ->> 'bot_version'`;
    const rows = await query
      .select({ id: turns.id })
      .from(turns)
      .where(
        and(
          eq(turns.botId, botId),
          eq(turns.workspaceId, workspaceId),
          sql`${number} = ${String(version)} and ${number} like '-%'`,
        ),
      )
      .limit(1);
    return rows.length > 0;
  },

  async findOpen(query: Queryable, workspaceId: string, conversationId: string) {
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

  /** Replies of the latest turns that were started and retracted. */
  async listRetracted(query: Queryable, workspaceId: string, conversationId: string) {
    const rows = await query
      .select({ turnId: turns.id, retracted: turns.retractedIds, replies: turns.replyIds })
      .from(turns)
      .where(
        and(
          eq(turns.conversationId, conversationId),
          eq(turns.workspaceId, workspaceId),
          // A turn that is over has only retracted replies.
          sql`(cardinality(${turns.retractedIds}) > 0 or cardinality(${turns.replyIds}) > 1)`,
        ),
      )
      .orderBy(desc(turns.startedAt))
      .limit(3);
    return rows.flatMap(({ turnId, retracted, replies }) =>
      [...retracted, ...replies.slice(0, -1)].map((messageId) => ({ turnId, messageId })),
    );
  },

  /** Oldest first. */
  listOfConversation(query: Queryable, workspaceId: string, conversationId: string): Promise<TurnRow[]> {
    return query
      .select()
      .from(turns)
      .where(and(eq(turns.conversationId, conversationId), eq(turns.workspaceId, workspaceId)))
      .orderBy(asc(turns.id));
  },

  async count(query: Queryable, workspaceId: string, conversationId: string): Promise<number> {
    const rows = await query
      .select({ count: sql<number>`count(*)::int` })
      .from(turns)
      .where(and(eq(turns.conversationId, conversationId), eq(turns.workspaceId, workspaceId)));
    return rows[0]?.count ?? 0;
  },

  /** Marks an open turn and notifies its owner, in one transaction. */
  async requestStop(tx: Transaction, workspaceId: string, turnId: string, by: string): Promise<void> {
    await tx
      .update(turns)
      .set({ stopRequestedAt: sql`coalesce(${turns.stopRequestedAt}, now())`, stopRequestedBy: by })
      .where(and(eq(turns.id, turnId), eq(turns.workspaceId, workspaceId), inArray(turns.status, open)));
    await tx.execute(sql`select pg_notify(${stopChannel}, ${`${turnId} ${by}`})`);
  },

  /**
   * Takes running turns whose node is gone, each with a new fence. Nodes that do this concurrently never get the same turn. A
   * node's own turns are not abandoned, even if its heartbeats failed for a while.
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

  /** The running turns of this node. */
  listHeldAcrossWorkspaces(query: Queryable, nodeId: string): Promise<TurnRow[]> {
    return query
      .select()
      .from(turns)
      .where(and(eq(turns.nodeId, nodeId), eq(turns.status, 'running')));
  },

  /** Takes a running turn from its node; with a fence, only if it did not change hands since that was read. */
  async take(query: Queryable, workspaceId: string, turn: { id: string; fence?: number }, nodeId: string) {
    const isTurn = and(eq(turns.id, turn.id), eq(turns.workspaceId, workspaceId));
    const isSame = turn.fence === undefined ? undefined : eq(turns.fence, turn.fence);
    const rows = await query
      .update(turns)
      .set(takenBy(nodeId))
      .where(and(isTurn, isSame, eq(turns.status, 'running')))
      .returning(taken);
    return rows[0];
  },

  /** Adds the id of a reply that begins now; undefined if the lease is no longer valid. */
  async beginReply(query: Queryable, lease: TurnLease, replyId: string): Promise<string[] | undefined> {
    const rows = await query
      .update(turns)
      .set({ replyIds: sql`array_append(${turns.replyIds}, ${replyId}::uuid)` })
      .where(held(lease))
      .returning({ replyIds: turns.replyIds });
    return rows[0]?.replyIds;
  },

  /** Keeps the turn in these hands until the transaction ends; false if the lease is no longer valid. */
  async keep(tx: Transaction, lease: TurnLease): Promise<boolean> {
    const rows = await tx.select({ id: turns.id }).from(turns).where(held(lease)).for('share');
    return rows.length > 0;
  },

  /** Takes a paused turn; undefined if it is no longer paused. */
  async takePaused(tx: Transaction, workspaceId: string, turnId: string, nodeId: string) {
    const rows = await tx
      .update(turns)
      .set({ ...takenBy(nodeId), status: 'running' })
      .where(and(eq(turns.id, turnId), eq(turns.workspaceId, workspaceId), eq(turns.status, 'paused')))
      .returning(taken);
    return rows[0];
  },

  /** Releases an unfinished turn, for any node to take immediately. */
  async handOver(query: Queryable, lease: TurnLease): Promise<void> {
    await query.update(turns).set({ nodeId: null }).where(held(lease));
  },
};

interface WrittenTurn {
  kind: 'admitted';
  firstEvent: number;
  /** Its conversation waits for a person, so the turn is over already. */
  isHandedOff: boolean;
}

interface AdmissionRow {
  first: number | null;
  is_handed_off?: boolean;
  is_current: boolean;
  is_covered: boolean;
  elsewhere?: Omit<KnownConversation, 'workspaceId'> | null;
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
