import type { BotConfiguration } from '@svc/contract/bot-versions';
import { and, asc, eq, sql } from 'drizzle-orm';
import type { Queryable, Statement, Transaction } from '../database/database.ts';
import { bots } from './tables.ts';

export type BotRow = typeof bots.$inferSelect;
export type NewBot = Omit<
  BotRow,
  'workspaceId' | 'lastRunAt' | 'toolCount' | 'version' | 'createdAt' | 'updatedAt'
>;

export type BotChange = Partial<Omit<BotRow, 'id' | 'workspaceId' | 'createdAt' | 'updatedAt'>>;

/** The version that a bot is born with. */
export interface FirstVersion {
  by: string;
  changes: string[];
  configuration: BotConfiguration;
}

const placed = and(
  eq(bots.id, sql.placeholder('botId')),
  eq(bots.workspaceId, sql.placeholder('workspaceId')),
);

/** The bot and its first version, in one round trip. */
const insertBot: Statement = {
  name: 'bots.insert',
  text: `with bot as (
    insert into bots (id, workspace_id, name, description, system_prompt, prompt_builder, settings, status, bot_type,
      schedule, next_run_at, agent_goal, output_config, max_iterations, timeout_seconds, metadata)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
  )
  insert into bot_versions (bot_id, number, workspace_id, created_by, changes, configuration)
  values ($1, 1, $2, $17, $18, $19)`,
};

export const botStore = {
  async insert(query: Queryable, workspaceId: string, bot: NewBot, first: FirstVersion): Promise<void> {
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
      first.by,
      first.changes,
      first.configuration,
    ]);
  },

  async find(query: Queryable, workspaceId: string, botId: string): Promise<BotRow | undefined> {
    const statement = query.compiled('bots.find', () => query.select().from(bots).where(placed));
    return (await statement.execute({ workspaceId, botId }))[0];
  },

  /**
   * The row, held until the transaction ends, so that a change builds on what is really stored. What only refers to it, such as
   * a turn that begins, does not wait.
   */
  async lock(tx: Transaction, workspaceId: string, botId: string): Promise<BotRow | undefined> {
    const rows = await tx.select().from(bots).where(inWorkspace(workspaceId, botId)).for('no key update');
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
  async setTools(
    tx: Transaction,
    workspaceId: string,
    botId: string,
    change: Pick<BotRow, 'toolCount' | 'version'>,
  ): Promise<void> {
    await tx.update(bots).set(change).where(inWorkspace(workspaceId, botId));
  },

  async noteRun(tx: Transaction, workspaceId: string, botId: string, lastRunAt: Date): Promise<void> {
    await tx.update(bots).set({ lastRunAt }).where(inWorkspace(workspaceId, botId));
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
