import { notFound } from '../app-error.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { LimitName, StoredLimits } from '../limits/workspace-limits.ts';
import { newId } from '../new-id.ts';
import { type PlanConfiguration, planFromConfiguration } from './plan.ts';
import { type PlanChange, type WorkspaceRow, workspaceStore } from './store.ts';

export type Workspace = Pick<WorkspaceRow, 'id' | 'name' | 'maxBots' | 'creditUsd' | 'limits' | 'createdAt'>;

export { limitsChannel } from './store.ts';

/** A number, none at all, or what holds for every workspace that has none of its own. */
export type LimitChange = number | 'unlimited' | 'default';
export type LimitChanges = Partial<Record<LimitName, LimitChange>>;

export type WorkspaceService = ReturnType<typeof createWorkspaceService>;

export function createWorkspaceService({ database }: { database: Database }) {
  return {
    /** The workspace of a fresh installation, made when it is not there; safe when several nodes start at once. */
    ensureDefault(plan: PlanConfiguration): Promise<Workspace> {
      return database.transaction(async (tx) => {
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
      return requireWorkspace(await workspaceStore.find(tx, id));
    },

    list(): Promise<Workspace[]> {
      return workspaceStore.listAcrossWorkspaces(database.query);
    },

    /** Running nodes know of it at once. */
    changePlan(workspaceId: string, change: PlanChange, limits: LimitChanges = {}): Promise<Workspace> {
      return database.transaction(async (tx) => {
        const before = requireWorkspace(await workspaceStore.lock(tx, workspaceId));
        await workspaceStore.changePlan(tx, workspaceId, change);
        if (Object.keys(limits).length > 0) {
          await workspaceStore.setLimits(tx, workspaceId, changedLimits(before.limits, limits));
        }
        return requireWorkspace(await workspaceStore.find(tx, workspaceId));
      });
    },

    async get(workspaceId: string): Promise<Workspace> {
      return requireWorkspace(await workspaceStore.find(database.query, workspaceId));
    },

    /** As the caller's transaction sees it. */
    async getWithin(tx: Transaction, workspaceId: string): Promise<Workspace> {
      return requireWorkspace(await workspaceStore.find(tx, workspaceId));
    },

    /** Holds the workspace's row until the transaction ends: what is counted against its plan is counted alone. */
    async lockPlan(tx: Transaction, workspaceId: string): Promise<Pick<Workspace, 'maxBots' | 'limits'>> {
      return requireWorkspace(await workspaceStore.lock(tx, workspaceId));
    },
  };
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
