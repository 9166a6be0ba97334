import type { Queryable } from '../../database/database.ts';
import { and, eq, gt, inArray, isNull, sql } from '../../database/drizzle.ts';
import { nodeLost } from '../../nodes/presence.ts';
import { machineCalls, machines } from '../machines.tables.ts';

export type NewCall = Omit<typeof machineCalls.$inferSelect, 'workspaceId' | 'createdAt' | 'lostAt'>;

/** The calls of a machine that were lost in the time for which daemons keep outcomes. */
export type LostCall = Awaited<ReturnType<typeof operationStore.listLost>>[number];
/** Daemons keep outcomes for a day. */
const lostSince = sql`now() - interval '1 day'`;

/** The machine and the instance of its daemon that an operation was first sent to. */
const firstSent = { machineId: machineCalls.machineId, instanceId: machineCalls.instanceId };
const isOf = (workspaceId: string) => eq(machineCalls.workspaceId, workspaceId);

export const operationStore = {
  /** The nodes that machines are connected to, if they are alive. Machines that are unknown or revoked are left out. */
  locateAcrossWorkspaces(query: Queryable, machineIds: string[]) {
    return query
      .select({
        machineId: machines.id,
        workspaceId: machines.workspaceId,
        nodeId: sql<string | null>`case when not ${nodeLost(machines.nodeId)} then ${machines.nodeId} end`,
        connectionId: machines.connectionId,
        instanceId: machines.instanceId,
      })
      .from(machines)
      .where(and(inArray(machines.id, machineIds), isNull(machines.revokedAt)));
  },

  async findCall(query: Queryable, workspaceId: string, id: string) {
    const isCall = and(isOf(workspaceId), eq(machineCalls.id, id));
    return (await query.select(firstSent).from(machineCalls).where(isCall))[0];
  },

  /** Where an operation was sent. Its turn waits for it again, so that it is not lost. */
  async recallCall(query: Queryable, workspaceId: string, id: string) {
    const isCall = and(isOf(workspaceId), eq(machineCalls.id, id));
    const rows = await query.update(machineCalls).set({ lostAt: null }).where(isCall).returning(firstSent);
    return rows[0];
  },

  /** Records where an operation is about to be sent, unless it was recorded before; returns what is recorded. */
  async recordCall(query: Queryable, workspaceId: string, call: NewCall) {
    const rows = await query
      .insert(machineCalls)
      .values({ ...call, workspaceId })
      .onConflictDoUpdate({ target: machineCalls.id, set: { id: call.id }, setWhere: isOf(workspaceId) })
      .returning(firstSent);
    if (!rows[0]) throw new Error('Another workspace has an operation with this id.');
    return rows[0];
  },

  listCalls(query: Queryable, workspaceId: string, ids: readonly string[]): Promise<NewCall[]> {
    const { id, conversationId, name } = machineCalls;
    return query
      .select({ ...firstSent, id, conversationId, name })
      .from(machineCalls)
      .where(and(isOf(workspaceId), sql`${id} = any(${sql.param([...ids])}::uuid[])`));
  },

  /** Notes that the turn of an operation continues without its outcome. */
  async markLost(query: Queryable, workspaceId: string, id: string): Promise<void> {
    await query
      .update(machineCalls)
      .set({ lostAt: sql`now()` })
      .where(and(isOf(workspaceId), eq(machineCalls.id, id)));
  },

  listLost(query: Queryable, workspaceId: string, machineId: string) {
    const { id, conversationId, name } = machineCalls;
    return query
      .select({ ...firstSent, workspaceId: machineCalls.workspaceId, id, conversationId, name })
      .from(machineCalls)
      .where(
        and(isOf(workspaceId), eq(machineCalls.machineId, machineId), gt(machineCalls.lostAt, lostSince)),
      );
  },

  async forgetLost(query: Queryable, workspaceId: string, id: string): Promise<void> {
    await query
      .update(machineCalls)
      .set({ lostAt: null })
      .where(and(isOf(workspaceId), eq(machineCalls.id, id)));
  },
};
