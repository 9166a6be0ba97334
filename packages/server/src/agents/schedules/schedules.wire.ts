import type { AgentSchedule, ScheduleSlot } from '@svc/contract/schedules';
import { type BotRow, describeSchedule, findSchedule } from '../../bots/bots.service.ts';
import type { SlotRow } from './schedules.store.ts';

export async function toWire(bot: BotRow, slots: SlotRow[]): Promise<AgentSchedule> {
  const schedule = bot.schedule === null ? undefined : findSchedule(bot.schedule);
  return {
    schedule: bot.schedule,
    description: schedule ? await describeSchedule(schedule) : null,
    time_zone: schedule?.zone.name ?? null,
    next_run_at: bot.nextRunAt?.toISOString() ?? null,
    last_run_at: bot.lastRunAt?.toISOString() ?? null,
    recent: slots.map(slotToWire),
  };
}

export function slotToWire(slot: SlotRow): ScheduleSlot {
  return {
    slot_at: slot.slotAt.toISOString(),
    outcome: slot.outcome,
    reason: slot.reason,
    conversation_id: slot.conversationId,
    noted_at: slot.notedAt.toISOString(),
  };
}
