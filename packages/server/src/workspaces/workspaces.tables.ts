import { boolean, integer, jsonb, numeric, pgTable, text, timestamp, uuid } from '../database/drizzle.ts';
import type { StoredLimits } from '../limits/workspace-limits.ts';

export const workspaces = pgTable('workspaces', {
  id: uuid().primaryKey(),
  name: text().notNull(),
  isDefault: boolean('is_default').notNull().default(false),
  maxBots: integer('max_bots'),
  creditUsd: numeric('credit_usd', { precision: 20, scale: 9 }),
  configuredMaxBots: integer('configured_max_bots'),
  configuredCreditUsd: numeric('configured_credit_usd', { precision: 20, scale: 9 }),
  /** Maintained by the database, for `has_knowledge` of its bots. */
  hasSharedKnowledge: boolean('has_shared_knowledge').notNull().default(false),
  /** Null: those of the installation. */
  destinations: jsonb().$type<string[]>(),
  limits: jsonb().$type<StoredLimits>().notNull().default({}),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});
