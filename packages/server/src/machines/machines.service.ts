import { timingSafeEqual } from 'node:crypto';
import type { Outcome } from '@svc/contract/machine-protocol';
import type { Machine, MachineCreate, MachineUpdate, PairedMachine } from '@svc/contract/machines';
import { recordChange } from '../audit/audit.service.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { inPages, type ListPages } from '../database/list-page.ts';
import type { RecordAnswer } from '../idempotency/idempotency.service.ts';
import type { Principal } from '../keys/keys.service.ts';
import { AppError, invalid, notFound } from '../lib/app-error.ts';
import { createGrowingLru } from '../lib/growing-lru.ts';
import { newId } from '../lib/new-id.ts';
import type { StoredLimits } from '../limits/workspace-limits.ts';
import { hashKey, looksLikeKey, makeKey } from '../secrets/bearer-key.ts';
import type { Services } from '../services.ts';
import { createMachineAccess, type MachineUser, type UsableMachine } from './machine-access.ts';
import type { ConnectingMachine, Connections } from './machine-connections.ts';
import { type ListedMachine, type MachineChange, type MachineRow, machineStore } from './machines.store.ts';
import type { Operations } from './operations/create-operations.ts';
import {
  hasEffects,
  type OperationRequest,
  type OperationRun,
  type RevertedFile,
} from './operations/machine-operation.ts';
import { operationStore } from './operations/machine-operations.store.ts';

export interface MachineDependencies extends Pick<Services, 'database'> {
  connections: Connections;
  operations: Operations;
}

export type MachineService = ReturnType<typeof createMachineService>;

/** What is to be done on a machine, and for whom. */
export interface WorkRequest extends OperationRequest {
  /** The member or account key that it is done for. */
  callerId: string | undefined;
}

const keyPrefix = 'svc_mk_';
/** What a person at the machine has to read and answer a question. */
const answerMs = 10 * 60_000;
const maxKnownKeys = 10_000;

/** Machines by the members or keys that paired them. */
export const heldMachines = {
  list: (query: Queryable, workspaceId: string, { creators }: { creators: string[] }) =>
    machineStore.listBy(query, workspaceId, creators),

  /** Notifies every node when the transaction commits. */
  async revoke(tx: Transaction, workspaceId: string, machineId: string, reason: string): Promise<void> {
    const row = await machineStore.lock(tx, workspaceId, machineId);
    if (!row || row.revokedAt) return;
    await machineStore.revoke(tx, workspaceId, machineId);
    const changes = [{ field: 'reason', before: null, after: reason }];
    await recordChange(tx, workspaceId, { action: 'machine.revoked', object: row, changes });
  },
};

/** Machines that members may use because their owners have allowed it. */
export const heldMachineUses = {
  list: (query: Queryable, workspaceId: string, { userId }: { userId: string }) =>
    machineStore.listAllowing(query, workspaceId, userId),

  async revoke(
    tx: Transaction,
    workspaceId: string,
    machineId: string,
    reason: string,
    { userId }: { userId: string },
  ): Promise<void> {
    const row = await machineStore.lock(tx, workspaceId, machineId);
    if (!row?.allowedMembers.includes(userId)) return;
    const change = { allowedMembers: row.allowedMembers.filter((id) => id !== userId) };
    await machineStore.update(tx, workspaceId, machineId, change);
    await recordChange(tx, workspaceId, {
      action: 'machine.updated',
      object: row,
      before: toDocument(row),
      after: toDocument({ ...row, ...change }),
      changes: [{ field: 'reason', before: null, after: reason }],
    });
  },
};

/** Pairs machines, and lets their daemons connect. */
export function createMachineService({ database, connections, operations }: MachineDependencies) {
  const worked = createGrowingLru<true>(maxKnownKeys);
  const { requireUse, requireUseOfAll } = createMachineAccess({ database });

  return {
    list: (workspaceId: string): ListPages<Machine> =>
      inPages(
        (after) => machineStore.listPage(database.within(workspaceId), workspaceId, after),
        (rows) => rows.map(toWire),
      ),

    /** The answer has the machine's key, which cannot be retrieved again. */
    async pair(
      { workspaceId, keyId, confirm }: Pick<Principal, 'workspaceId' | 'keyId' | 'confirm'>,
      { name }: MachineCreate,
      record: RecordAnswer<PairedMachine>,
    ): Promise<PairedMachine> {
      const token = makeKey(keyPrefix);
      const answer = { id: newId(), name, token };
      const row = { id: answer.id, name, hash: hashKey(token), hint: token.slice(-4), createdBy: keyId };
      await database.within(workspaceId).transaction(async (tx) => {
        await confirm(tx);
        await machineStore.insert(tx, workspaceId, row);
        const object = { id: answer.id, name };
        await recordChange(tx, workspaceId, { action: 'machine.paired', object, after: { name } });
        await record(tx, answer);
      });
      return answer;
    },

    /** Only by its owner: nobody else can let people or bots use it. */
    async update(
      { workspaceId, keyId }: Pick<Principal, 'workspaceId' | 'keyId'>,
      machineId: string,
      body: MachineUpdate,
    ): Promise<Machine> {
      await database.within(workspaceId).transaction(async (tx) => {
        // Before the machine, as when one of them is removed, which also takes them from its list.
        await machineStore.holdMembers(tx, workspaceId, body.allowed_members ?? []);
        const row = await machineStore.lock(tx, workspaceId, machineId);
        const use = await machineStore.findUse(tx, workspaceId, machineId, keyId);
        if (!row || !use) throw notFound();
        if (use.holderId === null || use.holderId !== use.ownerId)
          throw new AppError('FORBIDDEN', {
            message: `Only its owner may change the machine "${row.name}".`,
          });
        const change: MachineChange = {
          ...(body.name !== undefined && { name: body.name }),
          ...(body.allowed_members !== undefined && { allowedMembers: body.allowed_members.map(lower) }),
          ...(body.allowed_bots !== undefined && { allowedBots: body.allowed_bots.map(lower) }),
        };
        await requireKnown(tx, row, change);
        await machineStore.update(tx, workspaceId, machineId, change);
        const after = toDocument({ ...row, ...change });
        const object = { id: machineId, name: row.name };
        await recordChange(tx, workspaceId, {
          action: 'machine.updated',
          object,
          before: toDocument(row),
          after,
        });
      });
      const row = await machineStore.find(database.within(workspaceId), workspaceId, machineId);
      if (!row) throw notFound();
      return toWire(row);
    },

    requireUse,
    requireUseOfAll,

    /** The key stops working, and the connection is closed, whichever node has it. Repeated calls change nothing. */
    async revoke(workspaceId: string, machineId: string): Promise<void> {
      await database.within(workspaceId).transaction(async (tx) => {
        const row = await machineStore.lock(tx, workspaceId, machineId);
        if (!row) throw notFound();
        await machineStore.revoke(tx, workspaceId, machineId);
        if (!row.revokedAt) await recordChange(tx, workspaceId, { action: 'machine.revoked', object: row });
      });
      connections.check(machineId);
    },

    /** The machine of a valid key; throws the same UNAUTHORIZED whatever is wrong with it. */
    async authenticate(key: string): Promise<ConnectingMachine & { limits: StoredLimits }> {
      if (!looksLikeKey(keyPrefix, key)) throw new AppError('UNAUTHORIZED');
      const hash = hashKey(key);
      const row = await machineStore.findByHashAcrossWorkspaces(database.acrossWorkspaces, hash);
      const isGood = row !== undefined && !row.revokedAt && timingSafeEqual(row.hash, hash);
      const name = hash.toString('latin1');
      if (isGood) worked.set(name, true);
      else worked.delete(name);
      if (!isGood) throw new AppError('UNAUTHORIZED');
      const { id: machineId, workspaceId, connectionId, limits } = row;
      return { machineId, workspaceId, name: row.name, connectionId, limits };
    },

    /** Whether the key was valid when this node last looked it up: callers that guess keys have no such key. */
    hasWorked: (key: string): boolean =>
      looksLikeKey(keyPrefix, key) && worked.has(hashKey(key).toString('latin1')),

    accept: connections.accept,

    /** Closes the connection of a machine that was revoked. */
    check: connections.check,

    /**
     * As `Operations.perform`, if the person, the bot and whoever approved it may use the machine at this moment. Throws
     * FORBIDDEN otherwise.
     */
    async perform(request: WorkRequest, run: OperationRun, connectMs?: number): Promise<Outcome> {
      const { workspaceId, timeLimitMs } = request;
      const allowed = await requireWork(request).catch((error: unknown) => error);
      if (allowed instanceof Error) {
        // Sent before the use was withdrawn, by a node that did not see its end.
        const isSent =
          hasEffects(request.name) &&
          (await operationStore.findCall(database.within(workspaceId), workspaceId, request.id)) !==
            undefined;
        if (!isSent || (allowed instanceof AppError && allowed.code === 'NOT_FOUND')) throw allowed;
        return { status: 'unknown', message: allowed.message };
      }
      const isAsked = (allowed as UsableMachine).confirmation === 'terminal';
      return operations.perform(
        { ...request, timeLimitMs: timeLimitMs + (isAsked ? answerMs : 0) },
        run,
        connectMs,
      );
    },

    cancel: operations.cancel,

    async checkWorkdir(workspaceId: string, machineId: string, workdir: string, user: MachineUser) {
      await requireUse(workspaceId, machineId, user);
      return operations.checkWorkdir(workspaceId, machineId, workdir, user.botId);
    },

    /** As `Operations.revert`, by a person who may use the machines. */
    revert(workspaceId: string, operationIds: readonly string[], callerId: string): Promise<RevertedFile[]> {
      return operations.revert(workspaceId, operationIds, {
        by: callerId,
        async requireUse(machineId) {
          await requireUse(workspaceId, machineId, { callerId, botId: undefined });
        },
      });
    },
  };

  async function requireWork(request: WorkRequest): Promise<UsableMachine> {
    const { workspaceId, machineId, approval } = request;
    const machine = await requireUse(workspaceId, machineId, request);
    if (!approval) return machine;
    // `member:…` or `key:…`; a link is nobody's.
    const [, callerId] = approval.by.split(':');
    await requireUse(workspaceId, machineId, { callerId, botId: undefined }).catch((error: unknown) => {
      if (!(error instanceof AppError && error.code === 'FORBIDDEN')) throw error;
      throw new AppError('FORBIDDEN', {
        message: `Whoever approved this may not use the machine "${machine.name}" any more.`,
      });
    });
    return machine;
  }

  async function requireKnown(
    tx: Transaction,
    { workspaceId, allowedMembers: members, allowedBots: bots }: MachineRow,
    change: MachineChange,
  ): Promise<void> {
    // What is on the lists already may be gone since.
    const added = {
      members: (change.allowedMembers ?? []).filter((id) => !members.includes(id)),
      bots: (change.allowedBots ?? []).filter((id) => !bots.includes(id)),
    };
    const [unknown] = await machineStore.listUnknown(tx, workspaceId, added);
    if (unknown === undefined) return;
    throw added.members.includes(unknown)
      ? invalid('allowed_members', `names nobody of this workspace: ${unknown}`)
      : invalid('allowed_bots', `names no bot of this workspace: ${unknown}`);
  }
}

function toDocument({ name, allowedMembers, allowedBots }: MachineRow) {
  return { name, allowed_members: allowedMembers, allowed_bots: allowedBots };
}

/** Ids are compared as text. */
function lower(id: string): string {
  return id.toLowerCase();
}

function toWire(machine: ListedMachine): Machine {
  return {
    id: machine.id,
    name: machine.name,
    status: statusOf(machine),
    platform: machine.platform,
    version: machine.version,
    roots: machine.roots,
    sandbox: machine.sandbox,
    policy: machine.policy,
    confirmation: machine.confirmation,
    runs_commands: machine.runsCommands,
    owner:
      machine.ownerId === null
        ? null
        : { type: machine.isOwnedByKey ? 'key' : 'member', id: machine.ownerId, name: machine.ownerName },
    allowed_members: machine.allowedMembers,
    allowed_bots: machine.allowedBots,
    last_seen_at: machine.lastSeenAt?.toISOString() ?? null,
    created_at: machine.createdAt.toISOString(),
  };
}

function statusOf({ revokedAt, isConnected }: ListedMachine): Machine['status'] {
  if (revokedAt) return 'revoked';
  return isConnected ? 'online' : 'offline';
}
