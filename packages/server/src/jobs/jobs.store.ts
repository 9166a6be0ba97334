import type { Queryable, Transaction } from '../database/database.ts';
import { and, eq } from '../database/drizzle.ts';
import { nodeLost } from '../nodes/presence.ts';
import { deadLetterQueue, jobsSchema } from './boss.ts';
import { jobHolders } from './jobs.tables.ts';

/** One attempt of a job. */
interface Attempt {
  id: string;
  retryCount: number;
}

/** A permanently failed job of a workspace, as it is stored. */
export interface FailedRow {
  id: string;
  /** Where the list continues after this row. */
  cursor: string;
  queue: string;
  data: Record<string, unknown>;
  /** What `settleJob` wrote. */
  output: { reason?: string } | null;
  attempts: number;
  failedAt: Date;
}

/** Small enough for one short statement. */
const groupBatchSize = 1_000;

export const jobStore = {
  /** The data of a queue's jobs that are waiting or running and that contain all of `like`. */
  async listUnfinishedAcrossWorkspaces(query: Queryable, queue: string, like: object): Promise<object[]> {
    const { rows } = await query.raw(
      `select data from ${jobsSchema}.job where name = $1 and state < 'completed' and data @> $2::jsonb`,
      [queue, JSON.stringify(like)],
    );
    return (rows as { data: object }[]).map(({ data }) => data);
  },

  /** The ids of those whose given attempt is still running. */
  async listHeldAcrossWorkspaces(query: Queryable, jobs: readonly Attempt[]): Promise<string[]> {
    const { rows } = await query.raw(
      `select id from ${jobsSchema}.job join unnest($1::uuid[], $2::int[]) as taken (taken_id, attempt)
       on id = taken_id and retry_count = attempt and state = 'active'`,
      [jobs.map(({ id }) => id), jobs.map(({ retryCount }) => retryCount)],
    );
    return (rows as { id: string }[]).map(({ id }) => id);
  },

  /** Sets the group of jobs that were enqueued before jobs had one: without a group they could not be skipped. */
  async groupWaitingAcrossWorkspaces(query: Queryable): Promise<void> {
    for (;;) {
      const { rows } = await query.raw(
        `update ${jobsSchema}.job as job set group_id = job.data ->> 'workspaceId' from (
           select name, id from ${jobsSchema}.job
           where group_id is null and state < 'active' and data ->> 'workspaceId' is not null
           limit ${groupBatchSize} for update skip locked
         ) as waiting where job.name = waiting.name and job.id = waiting.id returning job.id`,
      );
      if (rows.length < groupBatchSize) return;
    }
  },

  /** Makes the next failure permanent. pg-boss offers that only for jobs that its own workers run. */
  async forbidRetriesAcrossWorkspaces(query: Queryable, { id, retryCount }: Attempt): Promise<void> {
    await query.raw(
      `update ${jobsSchema}.job set retry_limit = retry_count where id = $1 and retry_count = $2 and state = 'active'`,
      [id, retryCount],
    );
  },

  /** Records which node has taken a job. */
  async holdAcrossWorkspaces(
    tx: Transaction,
    { id, retryCount, queue, nodeId }: Attempt & { queue: string; nodeId: string },
  ): Promise<void> {
    const held = { queue, attempt: retryCount, nodeId };
    await tx
      .insert(jobHolders)
      .values({ jobId: id, ...held })
      .onConflictDoUpdate({ target: jobHolders.jobId, set: held });
  },

  /** Forgets which node has taken a job; false if no node is recorded for this attempt. */
  async releaseAcrossWorkspaces(query: Queryable, { id, retryCount }: Attempt): Promise<boolean> {
    const rows = await query
      .delete(jobHolders)
      .where(and(eq(jobHolders.jobId, id), eq(jobHolders.attempt, retryCount)))
      .returning({ jobId: jobHolders.jobId });
    return rows.length > 0;
  },

  /** Makes a job available as if it had not been taken. pg-boss does this only for its own workers. */
  async returnAcrossWorkspaces(tx: Transaction, { id, retryCount }: Attempt): Promise<void> {
    await tx.raw(
      `update ${jobsSchema}.job set state = 'created', started_on = null, heartbeat_on = null
       where id = $1 and retry_count = $2 and state = 'active'`,
      [id, retryCount],
    );
  },

  /** The attempts that were running on lost nodes; no other caller gets the same ones. */
  takeAbandonedAcrossWorkspaces(tx: Transaction): Promise<(typeof jobHolders.$inferSelect)[]> {
    return tx.delete(jobHolders).where(nodeLost(jobHolders.nodeId)).returning();
  },

  /** Skips the delay that follows a failure. */
  async retryNowAcrossWorkspaces(tx: Transaction, queue: string, jobs: readonly Attempt[]): Promise<void> {
    await tx.raw(
      `update ${jobsSchema}.job set start_after = now()
       from unnest($2::uuid[], $3::int[]) as taken (taken_id, attempt)
       where name = $1 and id = taken_id and retry_count = attempt and state = 'retry'`,
      [queue, jobs.map(({ id }) => id), jobs.map(({ retryCount }) => retryCount)],
    );
  },

  /** Newest first. */
  async listFailed(
    query: Queryable,
    workspaceId: string,
    { limit, before }: { limit: number; before?: string | undefined },
  ): Promise<FailedRow[]> {
    const [microseconds = null, id = null] = before?.split('.') ?? [];
    const { rows } = await query.raw(
      `select id, floor(extract(epoch from created_on) * 1000000)::bigint || '.' || id as cursor, source_name as queue,
         data, source_output as output, source_retry_count + 1 as attempts, created_on as "failedAt"
       from ${jobsSchema}.job
       where ${isFailed}
         and ($3::bigint is null or (created_on, id) < (timestamptz 'epoch' + $3 * interval '1 microsecond', $4::uuid))
       order by created_on desc, id desc limit $5`,
      [deadLetterQueue, workspaceId, microseconds, id, limit],
    );
    return rows as FailedRow[];
  },

  /** Removes a dead letter that pg-boss did not put back because its queue already has the same job; false otherwise. */
  async removeSupersededAcrossWorkspaces(query: Queryable, jobId: string): Promise<boolean> {
    const { rows } = await query.raw(
      `delete from ${jobsSchema}.job
       where name = $1 and id = $2 and state = 'failed' and output ->> 'reason' = 'redrive_conflict' returning id`,
      [deadLetterQueue, jobId],
    );
    return rows.length > 0;
  },

  /** Whether the workspace has this failed job. */
  async hasFailed(query: Queryable, workspaceId: string, jobId: string): Promise<boolean> {
    const { rows } = await query.raw(`select id from ${jobsSchema}.job where ${isFailed} and id = $3`, [
      deadLetterQueue,
      workspaceId,
      jobId,
    ]);
    return rows.length > 0;
  },
};

/** The failed jobs of one workspace that were not put back. */
const isFailed = `name = $1 and data ->> 'workspaceId' = $2 and state = 'created' and source_name is not null`;
