import type { StandIn } from '@svc/contract/scenarios';
import { json, pgTable, text, timestamp, uuid } from '../../database/drizzle.ts';

export const scenarios = pgTable('evaluation_scenarios', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  botId: uuid('bot_id').notNull(),
  name: text().notNull(),
  turns: json().$type<string[]>().notNull(),
  expectedFacts: json('expected_facts').$type<string[]>().notNull(),
  mustCall: json('must_call').$type<string[]>().notNull(),
  mustNotCall: json('must_not_call').$type<string[]>().notNull(),
  standIns: json('stand_ins').$type<StandIn[]>().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
});
