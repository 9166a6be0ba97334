import type { Queryable } from '../database/database.ts';
import { and, eq, gt, inArray, lt, lte, sql } from '../database/drizzle.ts';
import { type CountsTable, messageCounts, requestCounts } from './limits.tables.ts';
import type { Counted, Quota } from './request-counter.ts';

/** Several requests against the same quotas. */
export interface RequestGroup {
  quotas: readonly Quota[];
  size: number;
}

/** How many of a group's requests were admitted, and the quotas' use afterwards. */
export interface AdmittedGroup {
  admitted: number;
  counts: number[];
  milliseconds: number[];
}

export type CountStore = ReturnType<typeof createCountStore>;

/** Requests count against quotas of a key, a workspace or an address. */
export const requestCountStore = createCountStore(requestCounts, 'count_requests');

/** Messages count against quotas of an end user and of a widget key. */
export const messageCountStore = createCountStore(messageCounts, 'count_messages');

/** Counts in PostgreSQL, by its clock. */
function createCountStore(table: CountsTable, functionName: string) {
  const counting = {
    name: functionName,
    text: `select admitted, counts, milliseconds from ${functionName}($1, $2, $3, $4, $5)`,
  };

  return {
    /** Returns one entry per group, in their order. */
    countAcrossWorkspaces(query: Queryable, groups: readonly RequestGroup[]): Promise<AdmittedGroup[]> {
      const quotas = groups.flatMap((group) => group.quotas);
      return query.prepared<AdmittedGroup>(counting, [
        groups.map(({ size }) => size),
        groups.map((group) => group.quotas.length),
        quotas.map(({ name }) => name),
        quotas.map(({ limit }) => limit),
        quotas.map(({ windowSeconds }) => windowSeconds),
      ]);
    },

    async takeBackAcrossWorkspaces(query: Queryable, { quota, millisecondsLeft }: Counted): Promise<void> {
      const { name, count, endsAt } = table;
      const now = sql`clock_timestamp()`;
      const latest = sql`${now} + ${millisecondsLeft} * interval '1 millisecond'`;
      await query
        .update(table)
        .set({ count: sql`${count} - 1` })
        .where(and(eq(name, quota.name), gt(count, 0), gt(endsAt, now), lte(endsAt, latest)));
    },

    async deleteExpiredAcrossWorkspaces(query: Queryable): Promise<void> {
      const { name, endsAt } = table;
      // Locked rows are in use, and waiting for them could end in a deadlock.
      const expired = query
        .select({ name })
        .from(table)
        .where(lt(endsAt, sql`clock_timestamp()`))
        .for('update', { skipLocked: true });
      await query.delete(table).where(inArray(name, expired));
    },
  };
}
