import type { Job, PgBoss } from 'pg-boss';
import type { Database } from '../database/database.ts';
import { statementsOn } from './boss.ts';
import { jobStore } from './jobs.store.ts';

export interface TakeOptions {
  boss: PgBoss;
  database: Database;
  /** Without it, the node counts as lost only when the heartbeat of its jobs expires. */
  nodeId: string | undefined;
}

/** Takes the next job of a queue and records the node that took it, in one transaction. */
export async function takeJob(
  { boss, database, nodeId }: TakeOptions,
  queue: string,
  ignoreGroups: string[],
): Promise<Job | undefined> {
  if (nodeId === undefined) return (await boss.fetch<object>(queue, { ignoreGroups }))[0];
  return database.acrossWorkspaces.transaction(async (tx) => {
    const [job] = await boss.fetch<object>(queue, { ignoreGroups, db: statementsOn(tx) });
    if (job) await jobStore.holdAcrossWorkspaces(tx, { ...job, queue, nodeId });
    return job;
  });
}
