import type { Queryable } from '../database/database.ts';
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

const countRequests = {
  name: 'count_requests',
  text: 'select admitted, counts, milliseconds from count_requests($1, $2, $3, $4, $5)',
};

const takeBackRequest = {
  name: 'take_back_request',
  text: `update request_counts set count = count - 1 where name = $1 and count > 0
    and ends_at between clock_timestamp() and clock_timestamp() + $2 * interval '1 millisecond'`,
};

const deleteExpired = {
  name: 'delete_request_counts',
  // Locked rows are in use, and waiting for them could end in a deadlock.
  text: `delete from request_counts where name in
    (select name from request_counts where ends_at < clock_timestamp() for update skip locked)`,
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
    await query.prepared(takeBackRequest, [quota.name, millisecondsLeft]);
  },

  async deleteExpiredAcrossWorkspaces(query: Queryable): Promise<void> {
    await query.prepared(deleteExpired, []);
  },
};
