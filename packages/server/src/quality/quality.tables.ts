import { boolean, doublePrecision, json, pgTable, text, timestamp, uuid } from '../database/drizzle.ts';
import type { Passage } from '../turns/turns.service.ts';

export const qualityRecords = pgTable('quality_records', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  botId: uuid('bot_id').notNull(),
  conversationId: uuid('conversation_id').notNull(),
  turnId: uuid('turn_id').notNull(),
  messageId: uuid('message_id').notNull(),
  grading: text().$type<'graded' | 'ungraded'>(),
  score: doublePrecision(),
  ungradedBecause: text('ungraded_because'),
  refused: boolean().notNull().default(false),
  refusedText: text('refused_text'),
  validation: text().$type<'pending' | 'validated' | 'failed'>(),
  validationProblem: text('validation_problem'),
  verdict: text().$type<Verdict>(),
  unsupportedClaims: json('unsupported_claims').$type<string[]>().notNull().default([]),
  passages: json().$type<Passage[]>().notNull().default([]),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  validatedAt: timestamp('validated_at', { withTimezone: true }),
});

export type Verdict = 'supported' | 'unsupported';
