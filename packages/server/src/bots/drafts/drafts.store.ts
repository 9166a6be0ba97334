import type { BotConfiguration } from '@svc/contract/bot-versions';
import type { Queryable, Transaction } from '../../database/database.ts';
import { and, asc, eq, lt, sql } from '../../database/drizzle.ts';
import { botVersions } from '../versions/bot-versions.tables.ts';

export interface DraftRef {
  workspaceId: string;
  botId: string;
  number: number;
}

/** Comparing takes time, and the bot is locked meanwhile: older drafts are not looked at. */
const maxCompared = 20;

const isDraft = lt(botVersions.number, 0);

/** Drafts are versions with numbers below zero. `created_at` is when one was last used. */
export const draftStore = {
  /** The number of an equal one among the last drafts of the bot, whatever the order of its keys. */
  async findEqual(tx: Transaction, workspaceId: string, botId: string, configuration: BotConfiguration) {
    const last = tx
      .select({ number: botVersions.number, configuration: botVersions.configuration })
      .from(botVersions)
      .where(and(ofBot(workspaceId, botId), isDraft))
      .orderBy(asc(botVersions.number))
      .limit(maxCompared)
      .as('last');
    const rows = await tx
      .select({ number: last.number })
      .from(last)
      .where(sql`${last.configuration}::jsonb = ${JSON.stringify(configuration)}::jsonb`)
      .limit(1);
    return rows[0]?.number;
  },

  /** Under the next number. The bot must be locked. */
  async insert(
    tx: Transaction,
    workspaceId: string,
    draft: { botId: string; by: string; changes: string[]; configuration: BotConfiguration },
  ): Promise<number> {
    const { botId, by: createdBy, changes, configuration } = draft;
    const lowest = sql`(select least(min(number), 0) from bot_versions where bot_id = ${botId}) - 1`;
    const values = { botId, workspaceId, number: lowest, createdBy, changes, configuration };
    const rows = await tx.insert(botVersions).values(values).returning({ number: botVersions.number });
    return rows[0]?.number ?? 0;
  },

  /** Notes that a draft is used now; false when there is none. */
  async touch(query: Queryable, workspaceId: string, botId: string, number: number): Promise<boolean> {
    const rows = await query
      .update(botVersions)
      .set({ createdAt: sql`now()` })
      .where(and(ofBot(workspaceId, botId), isDraft, eq(botVersions.number, number)))
      .returning({ number: botVersions.number });
    return rows.length > 0;
  },

  listUnusedAcrossWorkspaces(query: Queryable, before: Date, limit: number): Promise<DraftRef[]> {
    return query
      .select({
        workspaceId: botVersions.workspaceId,
        botId: botVersions.botId,
        number: botVersions.number,
      })
      .from(botVersions)
      .where(and(isDraft, lt(botVersions.createdAt, before)))
      .orderBy(asc(botVersions.createdAt))
      .limit(limit);
  },

  /** Unless it was used since. */
  async delete(
    query: Queryable,
    workspaceId: string,
    { botId, number }: Omit<DraftRef, 'workspaceId'>,
    before: Date,
  ): Promise<void> {
    await query
      .delete(botVersions)
      .where(
        and(
          ofBot(workspaceId, botId),
          isDraft,
          eq(botVersions.number, number),
          lt(botVersions.createdAt, before),
        ),
      );
  },
};

function ofBot(workspaceId: string, botId: string) {
  return and(eq(botVersions.botId, botId), eq(botVersions.workspaceId, workspaceId));
}
