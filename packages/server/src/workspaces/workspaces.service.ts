import { recordChange } from '../audit/audit.service.ts';
import type { Database, Transaction } from '../database/database.ts';
import { notFound } from '../lib/app-error.ts';
import { newId } from '../lib/new-id.ts';
import type { LimitName, StoredLimits } from '../limits/workspace-limits.ts';
import { type PlanConfiguration, planFromConfiguration } from './plan.ts';
import { type PlanChange, type WorkspaceRow, workspaceStore } from './workspaces.store.ts';

export type Workspace = Pick<
  WorkspaceRow,
  'id' | 'name' | 'maxBots' | 'creditUsd' | 'destinations' | 'limits' | 'createdAt'
>;

export { limitsChannel } from './workspaces.store.ts';

/** A number, no limit, or the default for all workspaces. */
export type LimitChange = number | 'unlimited' | 'default';
export type LimitChanges = Partial<Record<LimitName, LimitChange>>;

export type WorkspaceService = ReturnType<typeof createWorkspaceService>;

export function createWorkspaceService({ database }: { database: Database }) {
  return {
    /** The default workspace, created if it is missing. Safe when several nodes start together. */
    ensureDefault(plan: PlanConfiguration): Promise<Workspace> {
      return database.acrossWorkspaces.transaction(async (tx) => {
        const found = await workspaceStore.lockDefaultAcrossWorkspaces(tx);
        if (!found) await workspaceStore.insertDefault(tx, newId(), 'Default workspace');
        const workspace = requireWorkspace(found ?? (await workspaceStore.lockDefaultAcrossWorkspaces(tx)));
        await workspaceStore.configurePlan(tx, workspace.id, planFromConfiguration(workspace, plan));
        return workspace;
      });
    },

    async create(tx: Transaction, name: string): Promise<Workspace> {
      const id = newId();
      await workspaceStore.insert(tx, { id, name });
      await recordChange(tx, id, { action: 'workspace.created', object: { id, name }, after: { name } });
      return requireWorkspace(await workspaceStore.find(tx, id));
    },

    /** The workspace that every installation has. */
    async getDefault(tx: Transaction): Promise<Workspace> {
      return requireWorkspace(await workspaceStore.lockDefaultAcrossWorkspaces(tx));
    },

    /** Whether it is the workspace that every installation has: its owners run the installation. */
    async isDefault(workspaceId: string): Promise<boolean> {
      const found = await workspaceStore.find(database.within(workspaceId), workspaceId);
      return requireWorkspace(found).isDefault;
    },

    async rename(tx: Transaction, workspaceId: string, name: string): Promise<void> {
      const before = requireWorkspace(await workspaceStore.lock(tx, workspaceId));
      await workspaceStore.rename(tx, workspaceId, name);
      await recordUpdate(tx, before, { ...before, name });
    },

    list(): Promise<Workspace[]> {
      return workspaceStore.listAcrossWorkspaces(database.acrossWorkspaces);
    },

    /** Takes effect on running nodes immediately. */
    changePlan(workspaceId: string, change: PlanChange, limits: LimitChanges = {}): Promise<Workspace> {
      return database.within(workspaceId).transaction(async (tx) => {
        const before = requireWorkspace(await workspaceStore.lock(tx, workspaceId));
        await workspaceStore.changePlan(tx, workspaceId, change);
        if (Object.keys(limits).length > 0) {
          await workspaceStore.setLimits(tx, workspaceId, changedLimits(before.limits, limits));
        }
        const after = requireWorkspace(await workspaceStore.find(tx, workspaceId));
        await recordUpdate(tx, before, after);
        return after;
      });
    },

    async get(workspaceId: string): Promise<Workspace> {
      return requireWorkspace(await workspaceStore.find(database.within(workspaceId), workspaceId));
    },

    /** As the caller's transaction sees it. */
    async getWithin(tx: Transaction, workspaceId: string): Promise<Workspace> {
      return requireWorkspace(await workspaceStore.find(tx, workspaceId));
    },

    /** Locks the workspace's row until the transaction ends, so that concurrent requests cannot exceed its plan together. */
    async lockPlan(tx: Transaction, workspaceId: string): Promise<Pick<Workspace, 'maxBots' | 'limits'>> {
      return requireWorkspace(await workspaceStore.lock(tx, workspaceId));
    },
  };
}

function recordUpdate(tx: Transaction, before: WorkspaceRow, after: WorkspaceRow): Promise<void> {
  return recordChange(tx, before.id, {
    action: 'workspace.updated',
    object: after,
    before: auditedFields(before),
    after: auditedFields(after),
  });
}

function auditedFields({ name, maxBots, creditUsd, destinations, limits }: WorkspaceRow): object {
  return { name, max_bots: maxBots, credit_usd: creditUsd, destinations, ...limits };
}

function changedLimits(stored: StoredLimits, changes: LimitChanges): StoredLimits {
  const limits = { ...stored };
  for (const [name, change] of Object.entries(changes) as [LimitName, LimitChange][]) {
    if (change === 'default') delete limits[name];
    else limits[name] = change === 'unlimited' ? null : change;
  }
  return limits;
}

function requireWorkspace(row: WorkspaceRow | undefined): WorkspaceRow {
  if (!row) throw notFound();
  return row;
}
