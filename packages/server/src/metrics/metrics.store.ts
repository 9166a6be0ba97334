import type { Transaction } from '../database/database.ts';
import { deadLetterQueue, jobsSchema } from '../jobs/boss.ts';

/** One figure of the installation: a gauge of `databaseGauges` and the value of its label. */
export interface FigureRow {
  gauge: 'nodes' | 'leases' | 'queueDepth' | 'queueActive' | 'queueOldest';
  label: string;
  value: number;
}

/** Longer than this would mean that reading the figures is part of the trouble. */
const statementMilliseconds = 2_000;

const alive = `seen_at > now() - interval '15 seconds'`;
/** pg-boss has an index of exactly the jobs that are neither taken nor blocked. Finished ones, which it keeps for days, are not read. */
const due = `state < 'active' and not blocked and start_after <= now()`;

export const metricsStore = {
  /** What the database knows about all nodes and queues together; nothing of any workspace. */
  async readFiguresAcrossWorkspaces(tx: Transaction): Promise<FigureRow[]> {
    await tx.raw(`set local statement_timeout = ${statementMilliseconds}`);
    const { rows } = await tx.raw(`
      with due as materialized (
        select name, count(*) as depth, extract(epoch from now() - min(start_after)) as oldest
          from ${jobsSchema}.job where ${due} group by name)
      select 'nodes' as gauge, case when ${alive} then 'alive' else 'lost' end as label, count(*)::float8 as value
        from nodes group by 2
      union all select 'leases', case when status = 'paused' then 'paused' when node_id is null then 'none'
          when exists (select 1 from nodes where id = node_id and ${alive}) then 'alive' else 'lost' end, count(*)
        from turns where status in ('running', 'paused') group by 2
      union all select 'queueDepth', 'turns', count(*) from turns where status = 'running' and node_id is null
      union all select 'queueDepth', 'node-commands', count(*) from machine_messages
      union all select 'queueOldest', 'node-commands', coalesce(extract(epoch from now() - min(created_at)), 0)
        from machine_messages
      union all select 'queueDepth', name, depth from due
      union all select 'queueOldest', name, oldest from due where name <> '${deadLetterQueue}'
      union all select 'queueActive', queue, count(*) from job_holders group by queue`);
    return rows as FigureRow[];
  },
};
