import type { Queryable, Transaction } from '../database/database.ts';
import { and, eq, inArray, sql } from '../database/drizzle.ts';
import { fileDeletions } from './files.tables.ts';

export const fileStore = {
  /** Before objects are written: what has no row by then is deleted. */
  async plan(query: Queryable, workspaceId: string, keys: readonly string[]): Promise<void> {
    const dueAt = sql`now() + interval '1 hour'`;
    await query.insert(fileDeletions).values(keys.map((key) => ({ key, workspaceId, dueAt })));
  },

  /** In the transaction of the row that names the object. False if the object is being deleted, or has been. */
  async cancel(tx: Transaction, workspaceId: string, key: string): Promise<boolean> {
    const rows = await tx
      .delete(fileDeletions)
      .where(
        and(
          eq(fileDeletions.key, key),
          eq(fileDeletions.workspaceId, workspaceId),
          eq(fileDeletions.attempts, 0),
        ),
      )
      .returning({ key: fileDeletions.key });
    return rows.length > 0;
  },

  async makeDue(query: Queryable, workspaceId: string, keys: readonly string[]): Promise<void> {
    await query
      .update(fileDeletions)
      .set({ dueAt: sql`now()` })
      .where(and(inArray(fileDeletions.key, [...keys]), eq(fileDeletions.workspaceId, workspaceId)));
  },

  /** Those of a node that is killed meanwhile, or that fail, are due again after a pause that grows to ten minutes. */
  async takeDueAcrossWorkspaces(query: Queryable, limit: number): Promise<string[]> {
    const { rows } = await query.execute<{ key: string }>(sql`
      update ${fileDeletions} set attempts = attempts + 1,
        due_at = now() + least(interval '10 minutes', interval '15 seconds' * power(2, least(attempts, 10)))
      where key in (
        select key from ${fileDeletions} where due_at <= now() order by due_at limit ${limit} for update skip locked)
      returning key`);
    return rows.map(({ key }) => key);
  },

  async deleteAcrossWorkspaces(query: Queryable, keys: readonly string[]): Promise<void> {
    await query.delete(fileDeletions).where(inArray(fileDeletions.key, [...keys]));
  },
};
