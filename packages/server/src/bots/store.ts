import { and, asc, eq, sql } from 'drizzle-orm';
import type { Queryable, Statement, Transaction } from '../database/database.ts';
import type { BotReading } from './bot-memory.ts';
import { bots } from './tables.ts';

export type BotRow = typeof bots.$inferSelect;
export type NewBot = Omit<BotRow, 'workspaceId' | 'lastRunAt' | 'toolCount' | 'createdAt' | 'updatedAt'>;
export type BotChange = Partial<Omit<BotRow, 'id' | 'workspaceId' | 'createdAt' | 'updatedAt'>>;

const placed = and(
  eq(bots.id, sql.placeholder('botId')),
  eq(bots.workspaceId, sql.placeholder('workspaceId')),
);

const insertBot: Statement = {
  name: 'bots.insert',
  text: `insert into bots (id, workspace_id, name, description, system_prompt, prompt_builder, settings, status, bot_type,
    schedule, next_run_at, agent_goal, output_config, max_iterations, timeout_seconds, metadata)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
};

export const botStore = {
  async insert(query: Queryable, workspaceId: string, bot: NewBot): Promise<void> {
    await query.prepared(insertBot, [
      bot.id,
      workspaceId,
      bot.name,
      bot.description,
      bot.systemPrompt,
      bot.promptBuilder,
      bot.settings,
      bot.status,
      bot.botType,
      bot.schedule,
      bot.nextRunAt,
      bot.agentGoal,
      bot.outputConfig,
      bot.maxIterations,
      bot.timeoutSeconds,
      bot.metadata,
    ]);
  },

  async find(query: Queryable, workspaceId: string, botId: string): Promise<BotRow | undefined> {
    const statement = query.compiled('bots.find', () => query.select().from(bots).where(placed));
    return (await statement.execute({ workspaceId, botId }))[0];
  },

  async read(query: Queryable, workspaceId: string, botId: string): Promise<BotReading | undefined> {
    const statement = query.compiled('bots.read', () =>
      query
        .select({ bot: bots, revision: sql<string>`${bots}.xmin::text` })
        .from(bots)
        .where(placed),
    );
    return (await statement.execute({ workspaceId, botId }))[0];
  },

  /** The row, held until the transaction ends, so that a change builds on what is really stored. */
  async lock(tx: Transaction, workspaceId: string, botId: string): Promise<BotRow | undefined> {
    const rows = await tx.select().from(bots).where(inWorkspace(workspaceId, botId)).for('update');
    return rows[0];
  },

  /** Oldest first; `metadata` keeps those that carry all of its values. */
  list(query: Queryable, workspaceId: string, metadata: Record<string, string>): Promise<BotRow[]> {
    const filter =
      Object.keys(metadata).length > 0
        ? sql`${bots.metadata} @> ${JSON.stringify(metadata)}::jsonb`
        : undefined;
    return query
      .select()
      .from(bots)
      .where(and(eq(bots.workspaceId, workspaceId), filter))
      .orderBy(asc(bots.createdAt), asc(bots.id));
  },

  async countActive(query: Queryable, workspaceId: string): Promise<number> {
    const rows = await query
      .select({ count: sql<number>`count(*)::int` })
      .from(bots)
      .where(and(eq(bots.workspaceId, workspaceId), eq(bots.status, 'active')));
    return rows[0]?.count ?? 0;
  },

  /** How many tools it has: a bot without any is not asked for them at every turn. */
  async setToolCount(tx: Transaction, workspaceId: string, botId: string, toolCount: number): Promise<void> {
    await tx.update(bots).set({ toolCount }).where(inWorkspace(workspaceId, botId));
  },

  /** False when it is not an active agent. */
  async noteRun(tx: Transaction, workspaceId: string, botId: string, lastRunAt: Date): Promise<boolean> {
    const isAgent = and(eq(bots.botType, 'agent'), eq(bots.status, 'active'));
    const rows = await tx
      .update(bots)
      .set({ lastRunAt })
      .where(and(inWorkspace(workspaceId, botId), isAgent))
      .returning({ id: bots.id });
    return rows.length > 0;
  },

  async update(tx: Transaction, workspaceId: string, botId: string, change: BotChange): Promise<void> {
    await tx
      .update(bots)
      .set({ ...change, updatedAt: sql`now()` })
      .where(inWorkspace(workspaceId, botId));
  },
};

function inWorkspace(workspaceId: string, botId: string) {
  return and(eq(bots.id, botId), eq(bots.workspaceId, workspaceId));
}
