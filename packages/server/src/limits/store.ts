import type { Queryable } from '../database/database.ts';
import { and, eq, gt, inArray, lt, lte, sql } from '../database/drizzle.ts';
import type { Counted, Quota } from './request-counter.ts';
import { requestCounts } from './tables.ts';

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

const countRequests = {
  name: 'count_requests',
  text: 'select admitted, counts, milliseconds from count_requests($1, $2, $3, $4, $5)',
};

/** Counts requests in PostgreSQL, by its clock. A quota belongs to a key, a workspace or an address. */
export const requestCountStore = {
  /** Returns one entry per group, in their order. */
  countAcrossWorkspaces(query: Queryable, groups: readonly RequestGroup[]): Promise<AdmittedGroup[]> {
    const quotas = groups.flatMap((group) => group.quotas);
    return query.prepared<AdmittedGroup>(countRequests, [
      groups.map(({ size }) => size),
      groups.map((group) => group.quotas.length),
      quotas.map(({ name }) => name),
      quotas.map(({ limit }) => limit),
      quotas.map(({ windowSeconds }) => windowSeconds),
    ]);
  },

  async takeBackAcrossWorkspaces(query: Queryable, { quota, millisecondsLeft }: Counted): Promise<void> {
    const { name, count, endsAt } = requestCounts;
    const now = sql`clock_timestamp()`;
    const latest = sql`${now} + ${millisecondsLeft} * interval '1 millisecond'`;
    await query
      .update(requestCounts)
      .set({ count: sql`${count} - 1` })
      .where(and(eq(name, quota.name), gt(count, 0), gt(endsAt, now), lte(endsAt, latest)));
  },

  async deleteExpiredAcrossWorkspaces(query: Queryable): Promise<void> {
    const { name, endsAt } = requestCounts;
    // Locked rows are in use, and waiting for them could end in a deadlock.
    const expired = query
      .select({ name })
      .from(requestCounts)
      .where(lt(endsAt, sql`clock_timestamp()`))
      .for('update', { skipLocked: true });
    await query.delete(requestCounts).where(inArray(name, expired));
  },
};
