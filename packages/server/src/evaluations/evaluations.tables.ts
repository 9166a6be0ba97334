import type { CaseReason, CaseStatus, EvaluationStatus, JudgedFact } from '@svc/contract/evaluations';
import type { Scenario } from '@svc/contract/scenarios';
import { integer, json, pgTable, text, timestamp, uuid } from '../database/drizzle.ts';

export const evaluations = pgTable('evaluations', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  botId: uuid('bot_id').notNull(),
  version: integer().notNull(),
  status: text().$type<EvaluationStatus>().notNull(),
  nodeId: uuid('node_id'),
  error: json().$type<{ code: string; message: string }>(),
  createdBy: uuid('created_by').notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  endedAt: timestamp('ended_at', { withTimezone: true }),
});

export const evaluationCases = pgTable('evaluation_cases', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  evaluationId: uuid('evaluation_id').notNull(),
  scenarioId: uuid('scenario_id').notNull(),
  position: integer().notNull(),
  scenario: json().$type<CaseScenario>().notNull(),
  status: text().$type<CaseStatus>().notNull(),
  conversationId: uuid('conversation_id'),
  turnIds: uuid('turn_ids').array().notNull().default([]),
  facts: json().$type<JudgedFact[]>().notNull().default([]),
  reasons: json().$type<CaseReason[]>().notNull().default([]),
  startedAt: timestamp('started_at', { withTimezone: true }),
  endedAt: timestamp('ended_at', { withTimezone: true }),
});

/** What a scenario said when its evaluation began. */
export type CaseScenario = Omit<Scenario, 'id' | 'bot_id' | 'created_at' | 'updated_at'>;
