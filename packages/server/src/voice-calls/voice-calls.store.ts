import type { SQL } from 'drizzle-orm';
import type { Queryable, Transaction } from '../database/database.ts';
import {
  and,
  asc,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  lt,
  or,
  sql,
} from '../database/drizzle.ts';
import { nodeLost } from '../nodes/presence.ts';
import { voiceCallHooks, voiceCalls, voiceCallTurns } from './voice-calls.tables.ts';

export type VoiceCallRow = typeof voiceCalls.$inferSelect;
/** What identifies a call. */
export type CallKey = Pick<VoiceCallRow, 'id' | 'workspaceId'>;
export type NewVoiceCall = Omit<
  typeof voiceCalls.$inferInsert,
  'workspaceId' | 'createdAt' | 'deadlineAt'
> & {
  deadlineAt: Date | SQL;
};
export type VoiceCallChange = Partial<Omit<NewVoiceCall, 'id' | 'botId'>>;
/** A call without a node to end it. */
export type LeftCall = VoiceCallRow & { isLate: boolean };
export type VoiceCallTurn = Omit<typeof voiceCallTurns.$inferSelect, 'workspaceId' | 'callId'>;
export type VoiceCallHook = typeof voiceCallHooks.$inferSelect;
export type NewVoiceCallHook = Pick<
  VoiceCallHook,
  'id' | 'hookId' | 'toolConfigurationId' | 'toolName' | 'toolType' | 'paramsTemplate' | 'position'
>;
export type VoiceCallHookChange = Partial<
  Pick<VoiceCallHook, 'status' | 'result' | 'error' | 'startedAt' | 'endedAt'>
>;

export const voiceCallStore = {
  async insert(tx: Transaction, workspaceId: string, call: NewVoiceCall): Promise<VoiceCallRow> {
    const rows = await tx
      .insert(voiceCalls)
      .values({ ...call, workspaceId })
      .returning();
    if (!rows[0]) throw new Error('The call was not written.');
    return rows[0];
  },

  /** How many calls of a workspace are not over. */
  async countOpen(query: Queryable, workspaceId: string): Promise<number> {
    const isOpen = and(eq(voiceCalls.workspaceId, workspaceId), isNull(voiceCalls.endedAt));
    const rows = await query.select({ count: sql<number>`count(*)::int` }).from(voiceCalls).where(isOpen);
    return rows[0]?.count ?? 0;
  },

  async find(query: Queryable, workspaceId: string, id: string): Promise<VoiceCallRow | undefined> {
    return (await query.select().from(voiceCalls).where(isCall({ workspaceId, id })))[0];
  },

  async findAcrossWorkspaces(query: Queryable, callId: string): Promise<VoiceCallRow | undefined> {
    return (await query.select().from(voiceCalls).where(eq(voiceCalls.id, callId)))[0];
  },

  async findByNetworkIdAcrossWorkspaces(
    query: Queryable,
    transport: VoiceCallRow['transport'],
    networkId: string,
  ): Promise<VoiceCallRow | undefined> {
    const isOne = and(eq(voiceCalls.transport, transport), eq(voiceCalls.networkId, networkId));
    return (await query.select().from(voiceCalls).where(isOne))[0];
  },

  async findBySessionAcrossWorkspaces(query: Queryable, hash: Buffer): Promise<VoiceCallRow | undefined> {
    return (await query.select().from(voiceCalls).where(eq(voiceCalls.sessionTokenHash, hash)))[0];
  },

  list(query: Queryable, workspaceId: string, callIds: readonly string[]): Promise<VoiceCallRow[]> {
    return query
      .select()
      .from(voiceCalls)
      .where(and(eq(voiceCalls.workspaceId, workspaceId), inArray(voiceCalls.id, [...callIds])));
  },

  listOpenWebCalls(query: Queryable, workspaceId: string, botId: string, externalUserId: string) {
    const { id, status } = voiceCalls;
    const isOpenWeb = and(
      eq(voiceCalls.workspaceId, workspaceId),
      eq(voiceCalls.botId, botId),
      eq(voiceCalls.direction, 'web'),
      isNull(voiceCalls.endedAt),
    );
    return query
      .select({ id, status, isOwn: isCallBy(externalUserId) })
      .from(voiceCalls)
      .where(isOpenWeb);
  },

  /** The caller, if known. */
  async callerOf(query: Queryable, { workspaceId, id }: CallKey): Promise<string | null> {
    const rows = await query.select({ caller }).from(voiceCalls).where(isCall({ workspaceId, id }));
    return rows[0]?.caller ?? null;
  },

  /** The row after the change; undefined if the call is over, and nothing was changed. */
  async changeOpen(
    query: Queryable,
    { workspaceId, id }: CallKey,
    change: VoiceCallChange,
    statuses: VoiceCallRow['status'][],
  ): Promise<VoiceCallRow | undefined> {
    const isOpen = and(isNull(voiceCalls.endedAt), inArray(voiceCalls.status, statuses));
    const rows = await query
      .update(voiceCalls)
      .set(change)
      .where(and(isCall({ workspaceId, id }), isOpen))
      .returning();
    return rows[0];
  },

  /** Gives a call that no node has taken on yet to a node; undefined if another one has it, or it is over. */
  async claimQueued(
    query: Queryable,
    { workspaceId, id }: CallKey,
    nodeId: string,
  ): Promise<VoiceCallRow | undefined> {
    const { endedAt, nodeId: holder, status } = voiceCalls;
    const isFree = and(isNull(endedAt), isNull(holder), eq(status, 'queued'));
    const rows = await query
      .update(voiceCalls)
      .set({ nodeId })
      .where(and(isCall({ workspaceId, id }), isFree))
      .returning();
    return rows[0];
  },

  /** Whether it is over or not. */
  async change(tx: Queryable, { workspaceId, id }: CallKey, change: VoiceCallChange): Promise<void> {
    await tx.update(voiceCalls).set(change).where(isCall({ workspaceId, id }));
  },

  /** False if it has a summary, and nothing was changed. */
  async addSummary(query: Queryable, { workspaceId, id }: CallKey, summary: string): Promise<boolean> {
    const rows = await query
      .update(voiceCalls)
      .set({ summary })
      .where(and(isCall({ workspaceId, id }), isNull(voiceCalls.summary)))
      .returning({ id: voiceCalls.id });
    return rows.length > 0;
  },

  /**
   * Removes what was measured of these turns, and the summary, which may be based on them. One that is being written about a
   * call that is over is not stored any more.
   */
  async truncate(tx: Transaction, { workspaceId, id }: CallKey, turnIds: readonly string[]): Promise<void> {
    const summary = sql`case when ${voiceCalls.endedAt} is null then null else '' end`;
    await tx.update(voiceCalls).set({ summary }).where(isCall({ workspaceId, id }));
    if (turnIds.length === 0) return;
    await tx
      .delete(voiceCallTurns)
      .where(
        and(
          eq(voiceCallTurns.callId, id),
          eq(voiceCallTurns.workspaceId, workspaceId),
          inArray(voiceCallTurns.turnId, [...turnIds]),
        ),
      );
  },

  /** The record, locked until the transaction ends, and its conversation before it: an erasure locks the two in this order. */
  async lock(tx: Transaction, { workspaceId, id }: CallKey): Promise<VoiceCallRow | undefined> {
    await tx.execute(
      sql`select from conversations where workspace_id = ${workspaceId} and id = ${id} for key share`,
    );
    return (await tx.select().from(voiceCalls).where(isCall({ workspaceId, id })).for('update'))[0];
  },

  /** Calls without a node to end them: past their deadline, or held by a node that is gone. Not those that were passed on. */
  listLeftAcrossWorkspaces(query: Queryable, limit: number): Promise<LeftCall[]> {
    const isLate = lt(voiceCalls.deadlineAt, sql`now()`);
    const isAlone = and(isNotNull(voiceCalls.nodeId), nodeLost(voiceCalls.nodeId));
    return query
      .select({ ...getTableColumns(voiceCalls), isLate: sql<boolean>`${isLate}` })
      .from(voiceCalls)
      .where(and(isNull(voiceCalls.endedAt), or(isLate, isAlone), sql`not ${isPassedOn}`))
      .limit(limit);
  },

  async saveTurn(query: Queryable, { workspaceId, id }: CallKey, turn: VoiceCallTurn): Promise<void> {
    const { turnId: _key, ...times } = turn;
    await query
      .insert(voiceCallTurns)
      .values({ ...turn, workspaceId, callId: id })
      .onConflictDoUpdate({ target: voiceCallTurns.turnId, set: times });
  },

  listTurns(query: Queryable, workspaceId: string, callId: string): Promise<VoiceCallTurn[]> {
    return query
      .select()
      .from(voiceCallTurns)
      .where(and(eq(voiceCallTurns.callId, callId), eq(voiceCallTurns.workspaceId, workspaceId)))
      .orderBy(asc(voiceCallTurns.turnId));
  },

  async insertHooks(
    tx: Transaction,
    { workspaceId, id }: CallKey,
    hooks: readonly NewVoiceCallHook[],
  ): Promise<void> {
    if (hooks.length === 0) return;
    await tx.insert(voiceCallHooks).values(hooks.map((hook) => ({ ...hook, workspaceId, callId: id })));
  },

  listHooks(query: Queryable, workspaceId: string, callId: string): Promise<VoiceCallHook[]> {
    return query
      .select()
      .from(voiceCallHooks)
      .where(and(eq(voiceCallHooks.callId, callId), eq(voiceCallHooks.workspaceId, workspaceId)))
      .orderBy(asc(voiceCallHooks.position));
  },

  /** Calls that ended this long ago and have unfinished hooks, oldest first. */
  listWithOpenHooksAcrossWorkspaces(query: Queryable, endedSecondsAgo: number, limit: number) {
    const hasEnded = sql`${voiceCalls.endedAt} < now() - make_interval(secs => ${endedSecondsAgo})`;
    return query
      .select({ workspaceId: voiceCallHooks.workspaceId, callId: voiceCallHooks.callId })
      .from(voiceCallHooks)
      .innerJoin(voiceCalls, eq(voiceCalls.id, voiceCallHooks.callId))
      .where(and(isNull(voiceCallHooks.endedAt), hasEnded))
      .groupBy(voiceCallHooks.workspaceId, voiceCallHooks.callId, voiceCalls.endedAt)
      .orderBy(asc(voiceCalls.endedAt))
      .limit(limit);
  },

  /** False if the hook no longer has this status, and nothing was changed. */
  async changeHook(
    query: Queryable,
    { workspaceId, id, status }: Pick<VoiceCallHook, 'workspaceId' | 'id' | 'status'>,
    change: VoiceCallHookChange,
  ): Promise<boolean> {
    const isHook = and(eq(voiceCallHooks.id, id), eq(voiceCallHooks.workspaceId, workspaceId));
    const rows = await query
      .update(voiceCallHooks)
      .set(change)
      .where(and(isHook, eq(voiceCallHooks.status, status)))
      .returning({ id: voiceCallHooks.id });
    return rows.length > 0;
  },
};

/** By the clock of the database, which also decides what is late. */
export function secondsFromNow(seconds: number): SQL {
  return sql`now() + make_interval(secs => ${seconds})`;
}

/**
 * Nothing but its conversation says whose call it is, so that erasing a person erases that too. The column is written out, because
 * Drizzle omits the table's name among the fields of a select, and it would be the conversation's own.
 */
const caller = sql<
  string | null
>`(select external_user_id from conversations where conversations.id = voice_calls.id)`;

/** Another feature's table: such a call continues without a node. */
const isPassedOn = sql`exists (select 1 from voice_transfers where voice_transfers.call_id = voice_calls.id)`;

function isCallBy(externalUserId: string) {
  return sql<boolean>`${caller} is not distinct from ${externalUserId}`;
}

function isCall({ workspaceId, id }: CallKey) {
  return and(eq(voiceCalls.id, id), eq(voiceCalls.workspaceId, workspaceId));
}
