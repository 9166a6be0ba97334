import type { OutputConfig } from '@svc/contract/bots';
import type { RunStatus, RunTrigger } from '@svc/contract/conversations';
import { integer, json, pgTable, text, timestamp, uuid } from '../database/drizzle.ts';

export const runs = pgTable('runs', {
  turnId: uuid('turn_id').primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  botId: uuid('bot_id').notNull(),
  conversationId: uuid('conversation_id').notNull(),
  trigger: text().$type<RunTrigger>().notNull(),
  goal: text().notNull(),
  payload: text(),
  maxIterations: integer('max_iterations').notNull(),
  iterations: integer().notNull().default(0),
  status: text().$type<RunStatus>().notNull().default('running'),
  outputConfig: json('output_config').$type<OutputConfig>(),
  finalOutput: text('final_output'),
  error: json().$type<RunError>(),
  startedAt: timestamp('started_at', { withTimezone: true }).notNull(),
  deadlineAt: timestamp('deadline_at', { withTimezone: true }).notNull(),
  endedAt: timestamp('ended_at', { withTimezone: true }),
  webhookStatus: text('webhook_status').$type<'pending' | 'delivered' | 'failed'>(),
  webhookAttempts: integer('webhook_attempts').notNull().default(0),
  webhookError: text('webhook_error'),
});

export interface RunError {
  code: string;
  message: string;
}
