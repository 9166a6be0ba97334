import type { Queryable, Transaction } from '../../database/database.ts';
import { and, eq, sql } from '../../database/drizzle.ts';
import { inboxSettings, operatorActivity } from '../conversations.tables.ts';

/** A member whose console was in use within this time is there. */
const presentFor = sql`interval '5 minutes'`;

/** The members who are there, and the one whose turn it is. */
export const assigningStore = {
  async assignsInTurn(query: Queryable, workspaceId: string): Promise<boolean> {
    const rows = await query.select().from(inboxSettings).where(eq(inboxSettings.workspaceId, workspaceId));
    return rows[0]?.assignsInTurn ?? false;
  },

  async setAssignsInTurn(tx: Transaction, workspaceId: string, assignsInTurn: boolean): Promise<void> {
    await tx
      .insert(inboxSettings)
      .values({ workspaceId, assignsInTurn })
      .onConflictDoUpdate({ target: inboxSettings.workspaceId, set: { assignsInTurn } });
  },

  /** Writes nothing where nothing is assigned in turn. */
  async noteActive(query: Queryable, workspaceId: string, userId: string): Promise<void> {
    await query.execute(sql`
      insert into operator_activity (workspace_id, user_id, active_at)
      select m.workspace_id, m.user_id, now() from members m join inbox_settings s using (workspace_id)
      where m.workspace_id = ${workspaceId} and m.user_id = ${userId} and s.assigns_in_turn
      on conflict (workspace_id, user_id) do update set active_at = excluded.active_at`);
  },

  /**
   * Of the members who are there and may see to conversations, the one who has waited longest for an assignment. They stay a member,
   * and nobody else is chosen, until the transaction ends. To be called before a conversation is locked.
   */
  async lockNext(tx: Transaction, workspaceId: string): Promise<{ id: string; name: string } | undefined> {
    const { rows: locked } = await tx.execute(sql`
      select pg_advisory_xact_lock(hashtextextended('assign in turn ' || s.workspace_id, 0)) from inbox_settings s
      where s.workspace_id = ${workspaceId} and s.assigns_in_turn`);
    if (locked.length === 0) return undefined;
    const { rows } = await tx.execute<{ id: string; name: string }>(sql`
      select u.id, u.name from operator_activity a
      join members m using (workspace_id, user_id) join users u on u.id = a.user_id
      where a.workspace_id = ${workspaceId} and a.active_at > now() - ${presentFor} and m.role in ('operator', 'owner')
      order by a.assigned_at nulls first, a.user_id limit 1
      for share of m`);
    return rows[0];
  },

  async noteAssigned(tx: Transaction, workspaceId: string, userId: string): Promise<void> {
    await tx
      .update(operatorActivity)
      .set({ assignedAt: sql`clock_timestamp()` })
      .where(and(eq(operatorActivity.workspaceId, workspaceId), eq(operatorActivity.userId, userId)));
  },
};
