import { bytea } from '../database/bytea.ts';
import { boolean, integer, jsonb, pgTable, primaryKey, text, timestamp, uuid } from '../database/drizzle.ts';

export const tools = pgTable('tools', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  toolType: text('tool_type').notNull(),
  name: text().notNull(),
  description: text().notNull().default(''),
  presetId: text('preset_id'),
  isDefault: boolean('is_default').notNull().default(false),
  isActive: boolean('is_active').notNull().default(true),
  createdBy: uuid('created_by'),
  /** Counts the changes of what it does: its configuration, with its secrets. */
  revision: integer().notNull().default(1),
  configuration: jsonb().$type<Record<string, unknown>>().notNull().default({}),
  metadata: jsonb().$type<Record<string, string>>().notNull().default({}),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
});

export const toolSecrets = pgTable(
  'tool_secrets',
  {
    toolId: uuid('tool_id').notNull(),
    field: text().notNull(),
    workspaceId: uuid('workspace_id').notNull(),
    wrappedKey: bytea('wrapped_key').notNull(),
    sealed: bytea().notNull(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.toolId, table.field] })],
);

export const toolAssignments = pgTable('tool_assignments', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  botId: uuid('bot_id').notNull(),
  position: integer().notNull(),
  toolType: text('tool_type').notNull(),
  toolConfigurationId: uuid('tool_configuration_id'),
  toolInstructions: text('tool_instructions').notNull().default(''),
  speakDuringExecution: boolean('speak_during_execution').notNull().default(false),
  speakAfterExecution: boolean('speak_after_execution').notNull().default(false),
  toolErrorHandlingMode: text('tool_error_handling_mode')
    .$type<'passthrough' | 'hide'>()
    .notNull()
    .default('passthrough'),
});
