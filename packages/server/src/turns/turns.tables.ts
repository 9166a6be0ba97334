import { boolean, integer, json, numeric, pgTable, text, timestamp, uuid } from '../database/drizzle.ts';

export const turns = pgTable('turns', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  conversationId: uuid('conversation_id').notNull(),
  botId: uuid('bot_id').notNull(),
  status: text().$type<'running' | 'paused' | 'completed' | 'interrupted' | 'failed'>().notNull(),
  nodeId: uuid('node_id'),
  fence: integer().notNull().default(1),
  retractedIds: uuid('retracted_ids').array().notNull().default([]),
  replyIds: uuid('reply_ids').array().notNull().default([]),
  steps: integer().notNull().default(0),
  stopRequestedAt: timestamp('stop_requested_at', { withTimezone: true }),
  stopRequestedBy: text('stop_requested_by'),
  options: json().$type<TurnOptions>().notNull().default({}),
  isMetered: boolean('is_metered').notNull().default(false),
  reservedUsd: numeric('reserved_usd', { precision: 20, scale: 9 }).notNull().default('0'),
  startedAt: timestamp('started_at', { withTimezone: true }).notNull().defaultNow(),
  endedAt: timestamp('ended_at', { withTimezone: true }),
  error: json().$type<TurnError>(),
});

/** Why a turn failed, as reported to its readers. */
export interface TurnError {
  code: string;
  message: string;
}

/** What the turn was requested with. */
export interface TurnOptions {
  /** The request that sent it; left out if there was none, such as for a scheduled run. */
  request_id?: string;
  /** Where its spans belong, as in the header `traceparent`; left out if neither the request nor telemetry has one. */
  trace_parent?: string;
  /** The member or account key that it acts for; left out if neither sent it, such as for visitors. */
  acts_for?: string;
  code_machine_id?: string;
  code_workdir?: string;
  /** The conversation was in plan mode when the turn began. */
  is_planning?: true;
  /** The version of the bot that answers; left out: the current one. */
  bot_version?: number;
}
