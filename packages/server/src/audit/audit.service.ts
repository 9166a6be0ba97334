import type { AuditAction, AuditEntry, AuditQuery } from '@svc/contract/audit';
import type { Database, Transaction } from '../database/database.ts';
import { currentActor } from '../lib/actor.ts';
import { newId } from '../lib/new-id.ts';
import { type AuditRow, auditStore } from './audit.store.ts';
import { type AuditChange, bound, diff } from './audit-changes.ts';

export { commandChannel } from './audit.store.ts';
export type { AuditChange } from './audit-changes.ts';

/** A change of something in a workspace. */
export interface AuditedChange {
  action: AuditAction;
  /** Null as the id where the object must not be named, such as an erased person. */
  object: { id: string | null; name?: string | null };
  /**
   * The fields of the object, under their API names, without secrets and without texts of end users: an entry outlives them.
   * Only those that differ are kept; if there is both and nothing differs, nothing is recorded.
   */
  before?: object;
  after?: object;
  /** What the fields do not say, such as a secret that was set. */
  changes?: AuditChange[];
}

export interface AuditPage {
  entries: AuditEntry[];
  /** The cursor of the next page; undefined on the last. */
  next: string | undefined;
}

export type AuditService = ReturnType<typeof createAuditService>;

const defaultLimit = 50;
const maxNameCharacters = 200;

/**
 * Writes an entry in the transaction of the change, so that neither exists without the other. The actor is the caller of the
 * operation, or whoever `actAs` names.
 */
export async function recordChange(
  tx: Transaction,
  workspaceId: string,
  { action, object, before, after, changes = [] }: AuditedChange,
): Promise<void> {
  const all = [...diff(before, after), ...changes.map(bound)];
  if (before && after && all.length === 0) return;
  await insertEntry(tx, workspaceId, { id: newId(), action, object, changes: all });
}

/** Something that was carried out. */
export type Execution = Pick<AuditedChange, 'action' | 'object'> & { after: object };

/**
 * Runs something that acts outside and records its outcome. The entry is written first and says `unknown`, so that a crash does not
 * leave an execution without one.
 */
export async function recordExecution<Result extends { status: 'ok' | 'error' | 'unknown' }>(
  database: Database,
  workspaceId: string,
  { action, object, after }: Execution,
  run: () => Promise<Result>,
): Promise<Result> {
  const id = newId();
  const changesWith = (outcome: string) => diff(undefined, { ...after, outcome });
  await database
    .within(workspaceId)
    .transaction((tx) =>
      insertEntry(tx, workspaceId, { id, action, object, changes: changesWith('unknown') }),
    );
  // What fails without a result may have been carried out.
  const result = await run();
  await auditStore.setChanges(database.within(workspaceId), workspaceId, id, changesWith(result.status));
  return result;
}

async function insertEntry(
  tx: Transaction,
  workspaceId: string,
  {
    id,
    action,
    object,
    changes,
  }: { id: string; changes: AuditChange[] } & Pick<AuditedChange, 'action' | 'object'>,
): Promise<void> {
  const actor = currentActor();
  await auditStore.insert(tx, workspaceId, {
    id,
    actorType: actor.type,
    actorId: actor.id,
    actorName: actor.name,
    action,
    objectType: action.slice(0, action.indexOf('.')),
    objectId: object.id,
    objectName: object.name?.slice(0, maxNameCharacters) ?? null,
    changes,
  });
  // The command is not on the bus, with which requests announce what they change.
  if (actor.type === 'command') await auditStore.notifyOfCommand(tx, workspaceId);
}

/** Reads the log. */
export function createAuditService({ database }: { database: Database }) {
  return {
    async list(workspaceId: string, { limit = defaultLimit, ...filter }: AuditQuery): Promise<AuditPage> {
      const rows = await auditStore.list(database.within(workspaceId), workspaceId, {
        ...filter,
        limit: limit + 1,
      });
      const page = rows.slice(0, limit);
      return { entries: page.map(toWire), next: rows.length > limit ? page.at(-1)?.id : undefined };
    },
  };
}

function toWire(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    at: row.createdAt.toISOString(),
    actor: { type: row.actorType, id: row.actorId, name: row.actorName },
    action: row.action,
    object: { type: row.objectType, id: row.objectId, name: row.objectName },
    changes: row.changes,
  };
}
