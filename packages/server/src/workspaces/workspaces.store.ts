import type { Queryable, Transaction } from '../database/database.ts';
import { asc, eq, sql } from '../database/drizzle.ts';
import type { StoredLimits } from '../limits/workspace-limits.ts';
import { workspaces } from './workspaces.tables.ts';

export type WorkspaceRow = typeof workspaces.$inferSelect;
export type StoredPlan = Pick<
  WorkspaceRow,
  'maxBots' | 'configuredMaxBots' | 'creditUsd' | 'configuredCreditUsd'
>;

export interface PlanChange {
  maxBots?: number | null;
  addCreditUsd?: string;
  /** Where calls may go; null: where the installation says. */
  destinations?: string[] | null;
}

/** Every node listens here for workspaces whose limits were changed. The payload is the workspace's id. */
export const limitsChannel = 'svc_limits_changed';

export const workspaceStore = {
  async insert(query: Queryable, workspace: typeof workspaces.$inferInsert): Promise<void> {
    await query.insert(workspaces).values(workspace);
  },

  /** Does nothing when another node was first. */
  async insertDefault(tx: Transaction, workspaceId: string, name: string): Promise<void> {
    await tx.insert(workspaces).values({ id: workspaceId, name, isDefault: true }).onConflictDoNothing();
  },

  listAcrossWorkspaces(query: Queryable): Promise<WorkspaceRow[]> {
    return query.select().from(workspaces).orderBy(asc(workspaces.createdAt), asc(workspaces.id));
  },

  async find(query: Queryable, workspaceId: string): Promise<WorkspaceRow | undefined> {
    const statement = query.compiled('workspaces.find', () =>
      query
        .select()
        .from(workspaces)
        .where(eq(workspaces.id, sql.placeholder('workspaceId'))),
    );
    return (await statement.execute({ workspaceId }))[0];
  },

  /** Prevents two requests from both taking the last place of a plan. */
  async lock(tx: Transaction, workspaceId: string): Promise<WorkspaceRow | undefined> {
    const rows = await tx
      .select()
      .from(workspaces)
      .where(eq(workspaces.id, workspaceId))
      .for('no key update');
    return rows[0];
  },

  async lockDefaultAcrossWorkspaces(tx: Transaction): Promise<WorkspaceRow | undefined> {
    const rows = await tx
      .select()
      .from(workspaces)
      .where(eq(workspaces.isDefault, true))
      .for('no key update');
    return rows[0];
  },

  async rename(tx: Transaction, workspaceId: string, name: string): Promise<void> {
    await tx.update(workspaces).set({ name }).where(eq(workspaces.id, workspaceId));
  },

  async changePlan(tx: Transaction, workspaceId: string, change: PlanChange): Promise<void> {
    if (change.maxBots !== undefined) {
      await tx.update(workspaces).set({ maxBots: change.maxBots }).where(eq(workspaces.id, workspaceId));
    }
    if (change.destinations !== undefined) {
      const { destinations } = change;
      await tx.update(workspaces).set({ destinations }).where(eq(workspaces.id, workspaceId));
    }
    if (change.addCreditUsd !== undefined) {
      const creditUsd = sql`coalesce(${workspaces.creditUsd}, 0) + ${change.addCreditUsd}::numeric`;
      await tx.update(workspaces).set({ creditUsd }).where(eq(workspaces.id, workspaceId));
    }
  },

  /** Sets the limits and notifies every node, in one transaction. */
  async setLimits(tx: Transaction, workspaceId: string, limits: StoredLimits): Promise<void> {
    await tx.update(workspaces).set({ limits }).where(eq(workspaces.id, workspaceId));
    await tx.execute(sql`select pg_notify(${limitsChannel}, ${workspaceId})`);
  },

  /** Applies what the environment configures; `null` means no limit. */
  async configurePlan(tx: Transaction, workspaceId: string, plan: Partial<StoredPlan>): Promise<void> {
    if (Object.keys(plan).length === 0) return;
    await tx.update(workspaces).set(plan).where(eq(workspaces.id, workspaceId));
  },
};
