import type { BotSettings, OutputConfig, PromptBuilder } from '@svc/contract/bots';
import { boolean, integer, json, jsonb, pgTable, text, timestamp, uuid } from '../database/drizzle.ts';

export const bots = pgTable('bots', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  name: text().notNull(),
  description: text().notNull().default(''),
  systemPrompt: text('system_prompt').notNull(),
  promptBuilder: json('prompt_builder').$type<PromptBuilder>(),
  settings: jsonb().$type<BotSettings>().notNull().default({}),
  status: text().$type<'active' | 'inactive'>().notNull().default('active'),
  botType: text('bot_type').$type<'chatbot' | 'agent'>().notNull().default('chatbot'),
  schedule: text(),
  nextRunAt: timestamp('next_run_at', { withTimezone: true }),
  lastRunAt: timestamp('last_run_at', { withTimezone: true }),
  scheduleReadAt: timestamp('schedule_read_at', { withTimezone: true }),
  agentGoal: text('agent_goal'),
  outputConfig: json('output_config').$type<OutputConfig>(),
  maxIterations: integer('max_iterations').notNull().default(25),
  timeoutSeconds: integer('timeout_seconds'),
  metadata: jsonb().$type<Record<string, string>>().notNull().default({}),
  toolCount: integer('tool_count').notNull().default(0),
  /** One of its tools works on a paired machine. */
  usesMachine: boolean('uses_machine').notNull().default(false),
  version: integer().notNull().default(1),
  /** Maintained by a trigger: see the migration of knowledge. */
  hasKnowledge: boolean('has_knowledge').notNull().default(false),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
});
