import type { SlotOutcome } from '@svc/contract/schedules';
import { pgTable, text, timestamp, uuid } from '../../database/drizzle.ts';

export const scheduleSlots = pgTable('schedule_slots', {
  botId: uuid('bot_id').notNull(),
  slotAt: timestamp('slot_at', { withTimezone: true }).notNull(),
  workspaceId: uuid('workspace_id').notNull(),
  outcome: text().$type<SlotOutcome>().notNull(),
  reason: text(),
  conversationId: uuid('conversation_id'),
  notedAt: timestamp('noted_at', { withTimezone: true }).notNull(),
});
