import { boolean, jsonb, pgTable, text, timestamp, uuid } from '../../database/drizzle.ts';

export const voiceNumbers = pgTable('voice_numbers', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  phoneNumber: text('phone_number').notNull(),
  botId: uuid('bot_id').notNull(),
  greeting: text(),
  ttsVoice: text('tts_voice'),
  metadata: jsonb().$type<Record<string, string>>().notNull().default({}),
  outboundCapable: boolean('outbound_capable').notNull(),
  isOutboundPrimary: boolean('is_outbound_primary').notNull().default(false),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
});

/** The numbers that the operator of the service gave to workspaces. */
export const voiceNumberAssignments = pgTable('voice_number_assignments', {
  digits: text().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  phoneNumber: text('phone_number').notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});
