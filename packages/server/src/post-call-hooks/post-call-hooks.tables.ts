import { boolean, integer, json, jsonb, pgTable, timestamp, uuid } from '../database/drizzle.ts';

export const postCallHooks = pgTable('post_call_hooks', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  botId: uuid('bot_id').notNull(),
  toolConfigurationId: uuid('tool_configuration_id').notNull(),
  runOrder: integer('run_order').notNull().default(0),
  enabled: boolean().notNull().default(true),
  paramsTemplate: json('params_template').$type<Record<string, unknown>>().notNull().default({}),
  /** The tool as it was when somebody who may answer approvals let its calls run unasked. */
  confirmedConfiguration: jsonb('confirmed_configuration').$type<Record<string, unknown>>(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
});
