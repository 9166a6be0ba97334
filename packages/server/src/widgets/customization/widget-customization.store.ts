import type { Queryable, Transaction } from '../../database/database.ts';
import { and, eq, sql } from '../../database/drizzle.ts';
import { widgetChangedChannel } from '../widgets.store.ts';
import { widgetCustomizations } from '../widgets.tables.ts';

export type CustomizationRow = typeof widgetCustomizations.$inferSelect;
export type NewCustomization = Omit<CustomizationRow, 'workspaceId' | 'createdAt' | 'updatedAt'>;
export type CustomizationChange = Partial<Omit<NewCustomization, 'id' | 'botId'>>;

export const customizationStore = {
  async find(query: Queryable, workspaceId: string, botId: string): Promise<CustomizationRow | undefined> {
    const { workspaceId: workspace, botId: bot } = widgetCustomizations;
    const rows = await query
      .select()
      .from(widgetCustomizations)
      .where(and(eq(bot, botId), eq(workspace, workspaceId)));
    return rows[0];
  },

  /** Locks a customization until the transaction ends. */
  async lock(tx: Transaction, workspaceId: string, botId: string): Promise<CustomizationRow | undefined> {
    const { workspaceId: workspace, botId: bot } = widgetCustomizations;
    const isWanted = and(eq(bot, botId), eq(workspace, workspaceId));
    return (await tx.select().from(widgetCustomizations).where(isWanted).for('update'))[0];
  },

  async insertIfAbsent(query: Queryable, workspaceId: string, row: NewCustomization): Promise<void> {
    await query
      .insert(widgetCustomizations)
      .values({ ...row, workspaceId })
      .onConflictDoNothing();
  },

  /** Changes a customization, or creates it from the defaults in `row`, and notifies every node. */
  async put(tx: Transaction, workspaceId: string, row: NewCustomization, change: CustomizationChange) {
    const [written] = await tx
      .insert(widgetCustomizations)
      .values({ ...row, ...change, workspaceId })
      .onConflictDoUpdate({
        target: widgetCustomizations.botId,
        set: { ...change, updatedAt: sql`now()` },
      })
      .returning();
    if (!written) throw new Error('The statement returned no row.');
    await tx.execute(sql`select pg_notify(${widgetChangedChannel}, ${row.botId})`);
    return written;
  },
};
