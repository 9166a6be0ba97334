import type { Queryable, Transaction } from '../../database/database.ts';
import { and, desc, eq, getTableColumns, gt, isNotNull, lt, lte } from '../../database/drizzle.ts';
import { botVersions } from './bot-versions.tables.ts';

export type VersionRow = typeof botVersions.$inferSelect;
export type VersionSummary = Omit<VersionRow, 'configuration'>;

const { configuration: _large, ...summary } = getTableColumns(botVersions);

export const versionStore = {
  async insert(tx: Transaction, workspaceId: string, version: Omit<VersionRow, 'workspaceId' | 'createdAt'>) {
    await tx.insert(botVersions).values({ ...version, workspaceId });
  },

  async find(query: Queryable, workspaceId: string, botId: string, number: number) {
    const rows = await query
      .select()
      .from(botVersions)
      .where(and(ofBot(workspaceId, botId), eq(botVersions.number, number)));
    return rows[0];
  },

  /** Of the newest version up to this one that has an author. */
  async findAuthor(query: Queryable, workspaceId: string, botId: string, number: number) {
    const { createdBy } = botVersions;
    const isSaved = and(gt(botVersions.number, 0), lte(botVersions.number, number));
    const rows = await query
      .select({ createdBy })
      .from(botVersions)
      .where(and(ofBot(workspaceId, botId), isSaved, isNotNull(createdBy)))
      .orderBy(desc(botVersions.number))
      .limit(1);
    return rows[0]?.createdBy ?? undefined;
  },

  /** Newest first, without the configurations. Drafts are not among them. */
  list(
    query: Queryable,
    workspaceId: string,
    botId: string,
    { before, limit }: { before?: number; limit: number },
  ): Promise<VersionSummary[]> {
    const isBefore = before === undefined ? undefined : lt(botVersions.number, before);
    const isSaved = gt(botVersions.number, 0);
    return query
      .select(summary)
      .from(botVersions)
      .where(and(ofBot(workspaceId, botId), isSaved, isBefore))
      .orderBy(desc(botVersions.number))
      .limit(limit);
  },
};

function ofBot(workspaceId: string, botId: string) {
  return and(eq(botVersions.botId, botId), eq(botVersions.workspaceId, workspaceId));
}
