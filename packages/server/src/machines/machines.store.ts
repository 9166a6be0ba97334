import type { HelloFrame } from '@svc/contract/machine-protocol';
import type { Queryable, Transaction } from '../database/database.ts';
import { and, asc, eq, getTableColumns, inArray, isNull, or, sql } from '../database/drizzle.ts';
import { type ListCursor, listPage, rowBytes } from '../database/list-page.ts';
import type { StoredLimits } from '../limits/workspace-limits.ts';
import { nodeLost } from '../nodes/presence.ts';
import { machines } from './machines.tables.ts';

export type MachineRow = typeof machines.$inferSelect;
export type NewMachine = Pick<MachineRow, 'id' | 'name' | 'hash' | 'hint' | 'createdBy'>;
export type MachineChange = Partial<Pick<MachineRow, 'name' | 'allowedMembers' | 'allowedBots'>>;
/** A machine, its owner, and whether the node that it is connected to is alive. */
export type ListedMachine = MachineRow & { isConnected: boolean } & MachineOwner;

export interface MachineOwner {
  ownerId: string | null;
  ownerName: string | null;
  isOwnedByKey: boolean;
}

export interface NewConnection {
  connectionId: string;
  /** The connection that it may replace: the one that the machine had when this one was opened. */
  previousId: string | null;
  nodeId: string;
  hello: HelloFrame;
}

/**
 * PostgreSQL's notifications that a machine has connected, possibly to another node, or was revoked. The payload is the
 * machine's id.
 */
export const machineChangedChannel = 'svc_machine_changed';

const isConnected = sql<boolean>`not ${nodeLost(machines.nodeId)}`;
// The previous release pairs machines without an owner.
const ownerId = sql.raw('coalesce(machines.owner_id, holder_of(machines.workspace_id, machines.created_by))');
const owner = {
  ownerId: sql<string | null>`${ownerId}`,
  ownerName: sql<string | null>`coalesce(
    (select users.name from users where users.id = ${ownerId}),
    (select account_keys.name from account_keys
     where account_keys.workspace_id = machines.workspace_id and account_keys.id = ${ownerId}))`,
  isOwnedByKey: sql<boolean>`exists (select from account_keys
    where account_keys.workspace_id = machines.workspace_id and account_keys.id = ${ownerId})`,
};
const listed = { ...getTableColumns(machines), isConnected, ...owner };

export const machineStore = {
  async insert(tx: Transaction, workspaceId: string, machine: NewMachine): Promise<void> {
    const ownerOf = sql`holder_of(${workspaceId}, ${machine.createdBy})`;
    await tx.insert(machines).values({ ...machine, workspaceId, ownerId: ownerOf });
  },

  /** With the limits of its workspace, so that a request needs one statement. */
  async findByHashAcrossWorkspaces(query: Queryable, hash: Buffer) {
    const { id, workspaceId, name, revokedAt, connectionId } = machines;
    const limits = sql<StoredLimits>`(select limits from workspaces where id = ${workspaceId})`;
    const rows = await query
      .select({ id, workspaceId, name, hash: machines.hash, revokedAt, connectionId, limits })
      .from(machines)
      .where(eq(machines.hash, hash));
    return rows[0];
  },

  async find(query: Queryable, workspaceId: string, machineId: string): Promise<ListedMachine | undefined> {
    const rows = await query.select(listed).from(machines).where(isMachine(workspaceId, machineId));
    return rows[0];
  },

  /** What decides who may use a machine. */
  async findUse(query: Queryable, workspaceId: string, machineId: string, callerId: string | undefined) {
    const { name, revokedAt, allowedMembers, allowedBots, confirmation } = machines;
    // Whom the caller acts for: a member, or a key that no member made. Null if they no longer belong to the workspace.
    const holderId = sql<string | null>`holder_of(${workspaceId}, ${callerId ?? null})`;
    const rows = await query
      .select({ name, revokedAt, allowedMembers, allowedBots, confirmation, ...owner, holderId })
      .from(machines)
      .where(isMachine(workspaceId, machineId));
    return rows[0];
  },

  /** Keeps these members from being removed or demoted until the transaction ends. */
  async holdMembers(tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await tx.execute(sql`select from members
      where members.workspace_id = ${workspaceId} and members.user_id = any (${sql.param([...ids])}::uuid[])
      order by members.user_id for share`);
  },

  /** Those of these ids that name no member, or no bot, of the workspace. */
  async listUnknown(
    query: Queryable,
    workspaceId: string,
    { members, bots }: { members: readonly string[]; bots: readonly string[] },
  ): Promise<string[]> {
    const { rows } = await query.execute<{ id: string }>(sql`
      select given.id from unnest(${sql.param([...members])}::uuid[]) as given (id)
      where not exists (select from members where members.workspace_id = ${workspaceId} and members.user_id = given.id)
      union all
      select given.id from unnest(${sql.param([...bots])}::uuid[]) as given (id)
      where not exists (select from bots where bots.workspace_id = ${workspaceId} and bots.id = given.id)`);
    return rows.map(({ id }) => id);
  },

  async update(
    tx: Transaction,
    workspaceId: string,
    machineId: string,
    change: MachineChange,
  ): Promise<void> {
    if (Object.keys(change).length === 0) return;
    await tx.update(machines).set(change).where(isMachine(workspaceId, machineId));
  },

  /** Oldest first. */
  listPage(query: Queryable, workspaceId: string, after: ListCursor | undefined) {
    const { name, platform, version, roots, allowedMembers, allowedBots } = machines;
    const { page, isOnPage, part } = listPage(machines, {
      order: [machines.createdAt, machines.id],
      filter: eq(machines.workspaceId, workspaceId),
      after,
      bytes: rowBytes([name, platform, version], [roots, allowedMembers, allowedBots]),
    });
    return query
      .select({ ...listed, ...part })
      .from(machines)
      .innerJoin(page, isOnPage)
      .orderBy(asc(machines.createdAt), asc(machines.id));
  },

  /** Those that are not revoked and were paired by one of these members or keys, oldest first. */
  listBy(query: Queryable, workspaceId: string, creators: string[]) {
    const { id, name, createdAt, createdBy, revokedAt } = machines;
    return query
      .select({ id, name, createdAt })
      .from(machines)
      .where(and(eq(machines.workspaceId, workspaceId), inArray(createdBy, creators), isNull(revokedAt)))
      .orderBy(asc(createdAt), asc(id));
  },

  /** Those of these, and those that let one of these bots work there, unless they are revoked. */
  async listUsed(
    query: Queryable,
    workspaceId: string,
    { machineIds, botIds }: { machineIds: string[]; botIds: string[] },
  ): Promise<string[]> {
    const { id, allowedBots, revokedAt } = machines;
    const isUsed = or(inArray(id, machineIds), sql`${allowedBots} && ${sql.param(botIds)}::uuid[]`);
    const rows = await query
      .select({ id })
      .from(machines)
      .where(and(eq(machines.workspaceId, workspaceId), isNull(revokedAt), isUsed))
      .orderBy(asc(id));
    return rows.map((row) => row.id);
  },

  /** Those that are not revoked and whose owners let this member use them, oldest first. */
  listAllowing(query: Queryable, workspaceId: string, userId: string) {
    const { id, name, createdAt, allowedMembers, revokedAt } = machines;
    const isAllowed = sql`${userId}::uuid = any (${allowedMembers})`;
    return query
      .select({ id, name, createdAt })
      .from(machines)
      .where(and(eq(machines.workspaceId, workspaceId), isAllowed, isNull(revokedAt)))
      .orderBy(asc(createdAt), asc(id));
  },

  /** Locks a machine until the transaction ends. */
  async lock(tx: Transaction, workspaceId: string, machineId: string): Promise<MachineRow | undefined> {
    return (await tx.select().from(machines).where(isMachine(workspaceId, machineId)).for('update'))[0];
  },

  /** Revokes a machine and notifies every node. One that is revoked does not change. */
  async revoke(tx: Transaction, workspaceId: string, machineId: string): Promise<void> {
    await tx
      .update(machines)
      .set({ revokedAt: sql`coalesce(${machines.revokedAt}, now())` })
      .where(isMachine(workspaceId, machineId));
    await tx.execute(changedNotice(machineId));
  },

  /**
   * Records that a daemon is connected, and notifies every node. False when the machine is revoked, or has a newer
   * connection than this one.
   */
  async connect(
    tx: Transaction,
    workspaceId: string,
    machineId: string,
    { connectionId, previousId, nodeId, hello }: NewConnection,
  ): Promise<boolean> {
    const { platform, version, roots, sandbox } = hello;
    const now = sql`now()`;
    const isFree = isNull(machines.connectionId);
    const isReplaceable = previousId === null ? isFree : or(isFree, eq(machines.connectionId, previousId));
    const rows = await tx
      .update(machines)
      .set({
        platform,
        version,
        roots,
        sandbox,
        policy: hello.policy ?? null,
        confirmation: hello.confirmation ?? null,
        runsCommands: hello.runs_commands ?? null,
        instanceId: hello.instance_id,
        nodeId,
        connectionId,
        connectedAt: now,
        lastSeenAt: now,
      })
      .where(and(isMachine(workspaceId, machineId), isNull(machines.revokedAt), isReplaceable))
      .returning({ id: machines.id });
    if (rows.length > 0) await tx.execute(changedNotice(machineId));
    return rows.length > 0;
  },

  /** Records that a connection has ended, unless another has replaced it. */
  async disconnect(
    query: Queryable,
    workspaceId: string,
    machineId: string,
    connectionId: string,
  ): Promise<void> {
    await query
      .update(machines)
      .set(disconnected)
      .where(and(isMachine(workspaceId, machineId), eq(machines.connectionId, connectionId)));
  },

  /** Returns those of these connections that are current; machines that were revoked have none. */
  async renewAcrossWorkspaces(query: Queryable, connectionIds: string[]): Promise<string[]> {
    const rows = await query
      .update(machines)
      .set({ lastSeenAt: sql`now()` })
      .where(and(inArray(machines.connectionId, connectionIds), isNull(machines.revokedAt)))
      .returning({ connectionId: machines.connectionId });
    return rows.flatMap((row) => row.connectionId ?? []);
  },

  /** Records that a node has no connections any more. */
  async disconnectAllAcrossWorkspaces(query: Queryable, nodeId: string): Promise<void> {
    await query.update(machines).set(disconnected).where(eq(machines.nodeId, nodeId));
  },
};

const disconnected = { nodeId: null, connectionId: null, lastSeenAt: sql`now()` };

function isMachine(workspaceId: string, machineId: string) {
  return and(eq(machines.id, machineId), eq(machines.workspaceId, workspaceId));
}

function changedNotice(machineId: string) {
  return sql`select pg_notify(${machineChangedChannel}, ${machineId})`;
}
