import type { Queryable } from '../../database/database.ts';
import { and, eq, inArray, isNull, sql } from '../../database/drizzle.ts';
import { nodeLost } from '../../nodes/presence.ts';
import { machineCalls, machines } from '../machines.tables.ts';

export type NewCall = Omit<typeof machineCalls.$inferSelect, 'workspaceId' | 'createdAt'>;

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
};
