import { integer, numeric, pgTable, text, timestamp, uuid } from '../database/drizzle.ts';

export const usageRecords = pgTable('usage_records', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  conversationId: uuid('conversation_id'),
  turnId: uuid('turn_id'),
  /** The message that the model was asked for, which may not have been stored. Null before 0050. */
  messageId: uuid('message_id'),
  /** The step that shows the request if the bot is traced. Null before 0050. */
  traceStepId: uuid('trace_step_id'),
  /** Copied from the conversation, which may be deleted. */
  botId: uuid('bot_id'),
  externalUserId: text('external_user_id'),
  /** Null outside conversations. */
  channel: text(),
  model: text().notNull(),
  inputTokens: integer('input_tokens').notNull(),
  cachedInputTokens: integer('cached_input_tokens').notNull(),
  outputTokens: integer('output_tokens').notNull(),
  /** Null when the price of the model was not known. */
  costUsd: numeric('cost_usd', { precision: 20, scale: 9 }),
  /** How long a call lasted; 0 for everything else. */
  callSeconds: integer('call_seconds').notNull().default(0),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});

export const billingAccounts = pgTable('billing_accounts', {
  workspaceId: uuid('workspace_id').primaryKey(),
  settledUsd: numeric('settled_usd', { precision: 20, scale: 9 }).notNull().default('0'),
  reservedUsd: numeric('reserved_usd', { precision: 20, scale: 9 }).notNull().default('0'),
});

export const billingReservations = pgTable('billing_reservations', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  nodeId: uuid('node_id').notNull(),
  amountUsd: numeric('amount_usd', { precision: 20, scale: 9 }).notNull(),
  expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
});
