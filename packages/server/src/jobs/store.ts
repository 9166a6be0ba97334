import type { Queryable } from '../database/database.ts';
import { jobsSchema } from './boss.ts';

export const jobStore = {
  /** What the jobs of a queue carry that wait or are under way, and that hold all of `like`. */
  async listUnfinishedAcrossWorkspaces(query: Queryable, queue: string, like: object): Promise<object[]> {
    const { rows } = await query.raw(
      `select data from ${jobsSchema}.job where name = $1 and state < 'completed' and data @> $2::jsonb`,
      [queue, JSON.stringify(like)],
    );
    return (rows as { data: object }[]).map(({ data }) => data);
  },
};
