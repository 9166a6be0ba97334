import { integer, pgTable, text, uuid } from '../database/drizzle.ts';

export const jobHolders = pgTable('job_holders', {
  jobId: uuid('job_id').primaryKey(),
  queue: text().notNull(),
  attempt: integer().notNull(),
  nodeId: uuid('node_id').notNull(),
});
