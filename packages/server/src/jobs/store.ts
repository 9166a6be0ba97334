import type { Queryable } from '../database/database.ts';
import { jobsSchema } from './boss.ts';

/** Few enough for one short statement, however many there are. */
const groupedAtOnce = 1_000;

export const jobStore = {
  /** What the jobs of a queue carry that wait or are under way, and that hold all of `like`. */
  async listUnfinishedAcrossWorkspaces(query: Queryable, queue: string, like: object): Promise<object[]> {
    const { rows } = await query.raw(
      `select data from ${jobsSchema}.job where name = $1 and state < 'completed' and data @> $2::jsonb`,
      [queue, JSON.stringify(like)],
    );
    return (rows as { data: object }[]).map(({ data }) => data);
  },

  /** The ids of those that are still under way as the attempt that was taken. */
  async listHeldAcrossWorkspaces(
    query: Queryable,
    jobs: readonly { id: string; retryCount: number }[],
  ): Promise<string[]> {
    const { rows } = await query.raw(
      `select id from ${jobsSchema}.job join unnest($1::uuid[], $2::int[]) as taken (taken_id, attempt)
       on id = taken_id and retry_count = attempt and state = 'active'`,
      [jobs.map(({ id }) => id), jobs.map(({ retryCount }) => retryCount)],
    );
    return (rows as { id: string }[]).map(({ id }) => id);
  },

  /** Gives those their group that wait since before jobs had one: they could not be passed over otherwise. */
  async groupWaitingAcrossWorkspaces(query: Queryable): Promise<void> {
    for (;;) {
      const { rows } = await query.raw(
        `update ${jobsSchema}.job as job set group_id = job.data ->> 'workspaceId' from (
           select name, id from ${jobsSchema}.job
           where group_id is null and state < 'active' and data ->> 'workspaceId' is not null
           limit ${groupedAtOnce} for update skip locked
         ) as waiting where job.name = waiting.name and job.id = waiting.id returning job.id`,
      );
      if (rows.length < groupedAtOnce) return;
    }
  },

  /** When it fails now, it has failed for good. pg-boss itself can say so only of jobs that its own workers run. */
  async forbidRetriesAcrossWorkspaces(
    query: Queryable,
    { id, retryCount }: { id: string; retryCount: number },
  ): Promise<void> {
    await query.raw(
      `update ${jobsSchema}.job set retry_limit = retry_count where id = $1 and retry_count = $2 and state = 'active'`,
      [id, retryCount],
    );
  },
};
