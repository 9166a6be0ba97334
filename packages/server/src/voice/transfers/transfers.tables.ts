import type { CallDirection } from '@svc/contract/calls';
import { json, numeric, pgTable, text, timestamp, uuid } from '../../database/drizzle.ts';

/** Callers who talk to a person instead of the bot. */
export const voiceTransfers = pgTable('voice_transfers', {
  callId: uuid('call_id').primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  transport: text().$type<'twilio' | 'sip' | 'web'>().notNull(),
  direction: text().$type<CallDirection>().notNull(),
  networkId: text('network_id').notNull(),
  firstNumber: text('first_number'),
  toNumber: text('to_number').notNull(),
  answeredAt: timestamp('answered_at', { withTimezone: true }).notNull(),
  transferredAt: timestamp('transferred_at', { withTimezone: true }).notNull(),
  deadlineAt: timestamp('deadline_at', { withTimezone: true }).notNull(),
  checkedAt: timestamp('checked_at', { withTimezone: true }).notNull().defaultNow(),
  used: json().$type<Record<string, string>>().notNull(),
  costUsd: numeric('cost_usd', { precision: 20, scale: 9 }).notNull(),
});
