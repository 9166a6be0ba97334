import { timingSafeEqual } from 'node:crypto';
import type { Machine, MachineCreate, PairedMachine } from '@svc/contract/machines';
import { LRUCache } from 'lru-cache';
import { AppError, notFound } from '../app-error.ts';
import { recordChange } from '../audit/service.ts';
import type { Database, Queryable, Transaction } from '../database/database.ts';
import { inPages, type ListPages } from '../database/list-page.ts';
import type { RecordAnswer } from '../idempotency/service.ts';
import type { Principal } from '../keys/service.ts';
import type { StoredLimits } from '../limits/workspace-limits.ts';
import { newId } from '../new-id.ts';
import { hashKey, looksLikeKey, makeKey } from '../secrets/bearer-key.ts';
import type { OpenConnections } from './connections.ts';
import type { Operations } from './operations/operation.ts';
import { machineStore } from './store.ts';
import { toWire } from './wire.ts';

export interface MachineDependencies {
  database: Database;
  connections: OpenConnections;
  operations: Operations;
}

/** The machine that a valid key stands for. */
export interface IdentifiedMachine {
  machineId: string;
  workspaceId: string;
  name: string;
  /** Its current connection. */
  connectionId: string | null;
  limits: StoredLimits;
}

export type MachineService = ReturnType<typeof createMachineService>;

const keyPrefix = 'svc_mk_';
const maxKnownKeys = 10_000;

/** Machines by the members or keys that paired them. */
export const heldMachines = {
  list: (query: Queryable, workspaceId: string, creators: string[]) =>
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

/** Pairs machines, and lets their daemons connect. */
export function createMachineService({ database, connections, operations }: MachineDependencies) {
  const worked = new LRUCache<string, true>({ max: maxKnownKeys });

  return {
    list: (workspaceId: string): ListPages<Machine> =>
      inPages(
        (after) => machineStore.listPage(database.query, workspaceId, after),
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
      await database.transaction(async (tx) => {
        await confirm(tx);
        await machineStore.insert(tx, workspaceId, row);
        const object = { id: answer.id, name };
        await recordChange(tx, workspaceId, { action: 'machine.paired', object, after: { name } });
        await record(tx, answer);
      });
      return answer;
    },

    /** The key stops working, and the connection is closed, whichever node has it. Repeated calls change nothing. */
    async revoke(workspaceId: string, machineId: string): Promise<void> {
      await database.transaction(async (tx) => {
        const row = await machineStore.lock(tx, workspaceId, machineId);
        if (!row) throw notFound();
        await machineStore.revoke(tx, workspaceId, machineId);
        if (!row.revokedAt) await recordChange(tx, workspaceId, { action: 'machine.revoked', object: row });
      });
      connections.check(machineId);
    },

    /** The machine of a valid key; throws the same UNAUTHORIZED whatever is wrong with it. */
    async authenticate(key: string): Promise<IdentifiedMachine> {
      if (!looksLikeKey(keyPrefix, key)) throw new AppError('UNAUTHORIZED');
      const hash = hashKey(key);
      const row = await machineStore.findByHashAcrossWorkspaces(database.query, hash);
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

    /** What people call it; throws NOT_FOUND if it is unknown or revoked. */
    async nameOf(workspaceId: string, machineId: string): Promise<string> {
      const row = await machineStore.find(database.query, workspaceId, machineId);
      if (!row || row.revokedAt) throw notFound();
      return row.name;
    },

    perform: operations.perform,
    cancel: operations.cancel,
    checkWorkdir: operations.checkWorkdir,
    revert: operations.revert,
  };
}
