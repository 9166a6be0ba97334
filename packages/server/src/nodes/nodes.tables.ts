import { bigint, integer, json, pgTable, sql, text, timestamp, uuid } from '../database/drizzle.ts';

export const nodes = pgTable('nodes', {
  id: uuid().primaryKey(),
  seenAt: timestamp('seen_at', { withTimezone: true }).notNull().defaultNow(),
  startedAt: timestamp('started_at', { withTimezone: true }).notNull().defaultNow(),
  processSpace: text('process_space'),
  processId: integer('process_id'),
  reach: text(),
  release: text(),
});

/** A node that was not seen for this long counts as lost; heartbeats are five times as frequent. */
export const lostAfter = sql`interval '15 seconds'`;

/** Named after the first commands that nodes sent each other. */
export const nodeCommands = pgTable('machine_messages', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  toNode: uuid('to_node').notNull(),
  payload: json().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});
