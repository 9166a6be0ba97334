import type { BotConfiguration } from '@svc/contract/bot-versions';
import type { Queryable, Statement, Transaction } from '../database/database.ts';
import { and, asc, eq, getTableColumns, gt, inArray, isNotNull, lte, or, sql } from '../database/drizzle.ts';
import { type ListCursor, listPage, type PagePart, rowBytes } from '../database/list-page.ts';
import { bots } from './bots.tables.ts';

export type BotRow = typeof bots.$inferSelect;
export type NewBot = Omit<
  BotRow,
  'workspaceId' | 'lastRunAt' | 'usesMachine' | 'hasKnowledge' | 'version' | 'createdAt' | 'updatedAt'
>;
/** When an agent's next run is due, and the moment from which that was computed. */
export type NextRun = Pick<BotRow, 'nextRunAt' | 'scheduleReadAt'>;
export type BotChange = Partial<Omit<BotRow, 'id' | 'workspaceId' | 'createdAt' | 'updatedAt'>>;

/** A bot as it was read, with a mark that changes whenever its row is written. */
export interface BotReading {
  bot: BotRow;
  revision: string;
}

/** What lists of runs show of a bot. */
export type BriefBot = Pick<
  BotRow,
  'id' | 'name' | 'status' | 'schedule' | 'nextRunAt' | 'lastRunAt' | 'maxIterations'
> & { hasGoal: boolean };

/** A bot whose approval notices a member has to do with. */
export type HeldNotice = Pick<BotRow, 'id' | 'name' | 'createdAt'> & { isSetter: boolean };

/** The first version of a bot. */
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
      schedule, next_run_at, agent_goal, output_config, max_iterations, timeout_seconds, metadata,
      schedule_read_at, tool_count)
    select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $22
    where $21::int is null
      or (select count(*) from (select from bots where workspace_id = $2 limit $21) as stored) < $21
    returning id
  )
  insert into bot_versions (bot_id, number, workspace_id, created_by, changes, configuration)
  select id, 1, $2, $18, $19, $20 from bot
  returning number`,
};

/** The agents whose next slot has come, the longest waiting first, and those whose schedule was read too far ahead. */
const listDue: Statement = {
  name: 'bots.due',
  text: `(select id, workspace_id as "workspaceId" from bots
      where next_run_at <= $1 and status = 'active' and bot_type = 'agent' order by next_run_at limit $3)
    union all
    (select id, workspace_id as "workspaceId" from bots
      where next_run_at > $1 and schedule_read_at > $2 and status = 'active' and bot_type = 'agent' limit $3)`,
};

/** The moments that decide which schedules need attention. */
export interface DueMoment {
  now: Date;
  /** A schedule read after this was read by a clock that has been set back since. */
  readAheadAfter: Date;
}

export const botStore = {
  /** False when the workspace has `most` bots or more; null means no limit. Simultaneous calls do not see each other. */
  async insert(query: Queryable, workspaceId: string, bot: NewBot, first: FirstVersion, most: number | null) {
    const inserted = await query.prepared(insertBot, [
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
      bot.scheduleReadAt,
      first.by,
      first.changes,
      first.configuration,
      most,
      bot.toolCount,
    ]);
    return inserted.length > 0;
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

  /**
   * Locks the row until the transaction ends, so that a change builds on what is stored. Rows that only refer to it, such
   * as those of a new turn, do not wait.
   */
  async lock(tx: Transaction, workspaceId: string, botId: string): Promise<BotRow | undefined> {
    const rows = await tx.select().from(bots).where(inWorkspace(workspaceId, botId)).for('no key update');
    return rows[0];
  },

  /** Oldest first; `metadata` keeps those that carry all of its values. */
  listPage(
    query: Queryable,
    workspaceId: string,
    metadata: Record<string, string>,
    after: ListCursor | undefined,
  ): Promise<(BotRow & PagePart)[]> {
    const filter =
      Object.keys(metadata).length > 0
        ? sql`${bots.metadata} @> ${JSON.stringify(metadata)}::jsonb`
        : undefined;
    const { page, isOnPage, part } = listPage(bots, {
      order: [bots.createdAt, bots.id],
      filter: and(eq(bots.workspaceId, workspaceId), filter),
      after,
      bytes: rowBytes(
        [bots.name, bots.description, bots.systemPrompt, bots.agentGoal],
        [bots.promptBuilder, bots.settings, bots.outputConfig, bots.metadata],
      ),
    });
    return query
      .select({ ...getTableColumns(bots), ...part })
      .from(bots)
      .innerJoin(page, isOnPage)
      .orderBy(asc(bots.createdAt), asc(bots.id));
  },

  /** Agents by name, or the bots with these ids, without their texts. */
  listBrief(
    query: Queryable,
    workspaceId: string,
    { ids, limit }: { ids?: readonly string[]; limit: number },
  ): Promise<BriefBot[]> {
    return query
      .select({
        id: bots.id,
        name: bots.name,
        status: bots.status,
        schedule: bots.schedule,
        nextRunAt: bots.nextRunAt,
        lastRunAt: bots.lastRunAt,
        maxIterations: bots.maxIterations,
        hasGoal: sql<boolean>`coalesce(trim(${bots.agentGoal}), '') <> ''`,
      })
      .from(bots)
      .where(
        and(eq(bots.workspaceId, workspaceId), ids ? inArray(bots.id, [...ids]) : eq(bots.botType, 'agent')),
      )
      .orderBy(asc(bots.name), asc(bots.id))
      .limit(limit);
  },

  /**
   * The bots whose approval notices go to this address, or were last set by one of these members or keys; of those `isSetter` is
   * true.
   */
  listNotices(
    query: Queryable,
    workspaceId: string,
    { email, creators, botId }: { email: string; creators: readonly string[]; botId?: string },
  ): Promise<HeldNotice[]> {
    const versions = sql.raw(`select versions.created_by, versions.created_at from bot_versions as versions
      where versions.workspace_id = bots.workspace_id and versions.bot_id = bots.id
        and versions.number between 1 and bots.version and 'approval_notice' = any (versions.changes)
        and versions.created_by is not null
      order by versions.number desc limit 1`);
    const isSetter = sql<boolean>`coalesce(setter.created_by = any (${sql.param([...creators])}::uuid[]), false)`;
    const notice = sql`${bots.settings} -> 'approval_notice'`;
    return query
      .select({
        id: bots.id,
        name: bots.name,
        createdAt: sql<Date>`coalesce(setter.created_at, ${bots.createdAt})`.mapWith(bots.createdAt),
        isSetter,
      })
      .from(bots)
      .leftJoinLateral(sql`(${versions}) as setter`, sql`true`)
      .where(
        and(
          eq(bots.workspaceId, workspaceId),
          botId === undefined ? undefined : eq(bots.id, botId),
          sql`jsonb_typeof(${notice}) = 'object'`,
          or(isSetter, sql`lower(${notice} ->> 'email') = lower(${email}::text)`),
        ),
      )
      .orderBy(asc(bots.name), asc(bots.id));
  },

  async countActive(query: Queryable, workspaceId: string): Promise<number> {
    const rows = await query
      .select({ count: sql<number>`count(*)::int` })
      .from(bots)
      .where(and(eq(bots.workspaceId, workspaceId), eq(bots.status, 'active')));
    return rows[0]?.count ?? 0;
  },

  /** What turns need to know of its tools without reading them. */
  async setTools(
    tx: Transaction,
    workspaceId: string,
    botId: string,
    change: Pick<BotRow, 'toolCount' | 'usesMachine' | 'version'>,
  ): Promise<void> {
    await tx.update(bots).set(change).where(inWorkspace(workspaceId, botId));
  },

  listDueAcrossWorkspaces(query: Queryable, { now, readAheadAfter }: DueMoment, limit: number) {
    return query.prepared<Pick<BotRow, 'id' | 'workspaceId'>>(listDue, [now, readAheadAfter, limit]);
  },

  /** Locks the agent until the transaction ends, if it is still due and not locked by another node. */
  async lockDue(tx: Transaction, workspaceId: string, botId: string, { now, readAheadAfter }: DueMoment) {
    const isDue = and(
      eq(bots.status, 'active'),
      eq(bots.botType, 'agent'),
      isNotNull(bots.nextRunAt),
      or(lte(bots.nextRunAt, now), gt(bots.scheduleReadAt, readAheadAfter)),
    );
    const rows = await tx
      .select()
      .from(bots)
      .where(and(inWorkspace(workspaceId, botId), isDue))
      // New conversations only need the row to exist: they do not wait for this lock.
      .for('no key update', { skipLocked: true });
    return rows[0];
  },

  /** Not a change of the bot: `updated_at` stays. */
  async setNextRun(tx: Transaction, workspaceId: string, botId: string, nextRun: NextRun): Promise<void> {
    await tx.update(bots).set(nextRun).where(inWorkspace(workspaceId, botId));
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
