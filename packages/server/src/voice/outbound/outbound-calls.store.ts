import type { Queryable, Transaction } from '../../database/database.ts';
import { and, desc, eq, gt, lt, sql } from '../../database/drizzle.ts';
import { voiceDials } from './outbound-calls.tables.ts';

const daySeconds = 86_400;

export const dialStore = {
  /** Deletes rows that no limit counts any more. */
  async add(tx: Transaction, workspaceId: string, id: string): Promise<void> {
    const isOld = lt(voiceDials.dialedAt, secondsAgo(daySeconds));
    await tx.delete(voiceDials).where(and(eq(voiceDials.workspaceId, workspaceId), isOld));
    await tx.insert(voiceDials).values({ id, workspaceId });
  },

  /** In how many seconds one more number may be dialed under this limit; undefined if it may be now. */
  async secondsUntilNext(
    query: Queryable,
    workspaceId: string,
    { limit, withinSeconds }: { limit: number; withinSeconds: number },
  ): Promise<number | undefined> {
    if (limit === 0) return withinSeconds;
    const isRecent = gt(voiceDials.dialedAt, secondsAgo(withinSeconds));
    const rows = await query
      .select({
        seconds: sql<number>`ceil(extract(epoch from ${voiceDials.dialedAt} - ${secondsAgo(withinSeconds)}))::int`,
      })
      .from(voiceDials)
      .where(and(eq(voiceDials.workspaceId, workspaceId), isRecent))
      .orderBy(desc(voiceDials.dialedAt))
      .offset(limit - 1)
      .limit(1);
    return rows[0]?.seconds;
  },
};

function secondsAgo(seconds: number) {
  return sql`(now() - make_interval(secs => ${seconds}))`;
}
