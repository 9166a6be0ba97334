import type { Job, PgBoss } from 'pg-boss';
import type { Database } from '../database/database.ts';
import { statementsOn } from './boss.ts';
import { jobStore } from './store.ts';

export interface TakeOptions {
  boss: PgBoss;
  database: Database;
  /** Left out, nobody can know that the node is gone before its jobs' heartbeat runs out. */
  nodeId: string | undefined;
}

/** The next job of a queue, with the name of the node that has it from then on: both or neither. */
export async function takeJob(
  { boss, database, nodeId }: TakeOptions,
  queue: string,
  ignoreGroups: string[],
): Promise<Job | undefined> {
  if (nodeId === undefined) return (await boss.fetch<object>(queue, { ignoreGroups }))[0];
  return database.transaction(async (tx) => {
    const [job] = await boss.fetch<object>(queue, { ignoreGroups, db: statementsOn(tx) });
    if (job) await jobStore.holdAcrossWorkspaces(tx, { ...job, queue, nodeId });
    return job;
  });
}
