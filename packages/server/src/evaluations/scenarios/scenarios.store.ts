import type { Queryable, Transaction } from '../../database/database.ts';
import { and, asc, eq, getTableColumns, sql } from '../../database/drizzle.ts';
import { type ListCursor, listPage, rowBytes } from '../../database/list-page.ts';
import { scenarios } from './scenarios.tables.ts';

export type ScenarioRow = typeof scenarios.$inferSelect;
export type NewScenario = Omit<ScenarioRow, 'workspaceId' | 'createdAt' | 'updatedAt'>;
export type ScenarioChange = Partial<Omit<NewScenario, 'id' | 'botId'>>;

export const scenarioStore = {
  async insert(tx: Transaction, workspaceId: string, scenario: NewScenario): Promise<void> {
    await tx.insert(scenarios).values({ ...scenario, workspaceId });
  },

  /** Oldest first: the order in which they are run. */
  list(query: Queryable, workspaceId: string, botId: string): Promise<ScenarioRow[]> {
    return query
      .select()
      .from(scenarios)
      .where(and(eq(scenarios.botId, botId), eq(scenarios.workspaceId, workspaceId)))
      .orderBy(asc(scenarios.id));
  },

  /** In the same order as `list`. */
  listPage(query: Queryable, workspaceId: string, botId: string, after: ListCursor | undefined) {
    const { turns, expectedFacts, mustCall, mustNotCall, standIns } = scenarios;
    const { page, isOnPage, part } = listPage(scenarios, {
      order: [scenarios.id],
      filter: and(eq(scenarios.botId, botId), eq(scenarios.workspaceId, workspaceId)),
      after,
      bytes: rowBytes([scenarios.name], [turns, expectedFacts, mustCall, mustNotCall, standIns]),
    });
    return query
      .select({ ...getTableColumns(scenarios), ...part })
      .from(scenarios)
      .innerJoin(page, isOnPage)
      .orderBy(asc(scenarios.id));
  },

  async count(query: Queryable, workspaceId: string, botId: string): Promise<number> {
    const rows = await query
      .select({ count: sql<number>`count(*)::int` })
      .from(scenarios)
      .where(and(eq(scenarios.botId, botId), eq(scenarios.workspaceId, workspaceId)));
    return rows[0]?.count ?? 0;
  },

  async lock(tx: Transaction, workspaceId: string, botId: string, scenarioId: string) {
    const rows = await tx
      .select()
      .from(scenarios)
      .where(placed(workspaceId, botId, scenarioId))
      .for('update');
    return rows[0];
  },

  async update(
    tx: Transaction,
    workspaceId: string,
    { botId, id }: Pick<ScenarioRow, 'botId' | 'id'>,
    change: ScenarioChange,
  ): Promise<void> {
    await tx
      .update(scenarios)
      .set({ ...change, updatedAt: sql`now()` })
      .where(placed(workspaceId, botId, id));
  },

  /** False when there is no such scenario. */
  async delete(tx: Transaction, workspaceId: string, botId: string, scenarioId: string): Promise<void> {
    await tx.delete(scenarios).where(placed(workspaceId, botId, scenarioId));
  },
};

function placed(workspaceId: string, botId: string, scenarioId: string) {
  return and(
    eq(scenarios.id, scenarioId),
    eq(scenarios.botId, botId),
    eq(scenarios.workspaceId, workspaceId),
  );
}
