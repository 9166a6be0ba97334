import { invalid } from '../lib/app-error.ts';
import type { BotChange, BotRow, NextRun } from './bots.store.ts';
import { findSchedule, parseSchedule } from './schedule/schedule.ts';
import { nextSlot } from './schedule/slots.ts';

type Scheduled = Pick<BotRow, 'schedule' | 'status' | 'botType'>;

const unscheduled: Scheduled = { schedule: null, status: 'active', botType: 'chatbot' };

/**
 * The next slot is computed again when the schedule changes, or whether it applies. A schedule in a request must have a
 * slot at some time, even on chatbots and inactive bots, where it is not used.
 */
export function nextRunChange(change: BotChange, current: BotRow | undefined, now: Date): Partial<NextRun> {
  if (typeof change.schedule === 'string' && !nextSlot(parseSchedule(change.schedule), now))
    throw invalid('schedule', 'never comes: the calendar has no such day');
  const before = current ?? unscheduled;
  const { schedule, status, botType }: Scheduled = { ...before, ...change };
  if (!schedule || botType !== 'agent' || status !== 'active') return { nextRunAt: null };
  const isSame = schedule === before.schedule && status === before.status && botType === before.botType;
  if (isSame && current?.nextRunAt) return {};
  const readable = findSchedule(schedule);
  const slot = readable && nextSlot(readable, now);
  return slot ? { nextRunAt: slot, scheduleReadAt: now } : { nextRunAt: null };
}
