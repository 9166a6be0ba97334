import type { SchedulePreview, SchedulePreviewRequest } from '@svc/contract/schedules';
import { describeSchedule, findTimeZone, nextSlot, parseSchedule } from '../../bots/bots.service.ts';
import { invalid } from '../../lib/app-error.ts';

const shownSlots = 5;

/** What a schedule means, and when it fires next. Throws VALIDATION_FAILED for one that no bot can have. */
export async function previewSchedule(
  { schedule: text, time_zone: zone }: SchedulePreviewRequest,
  now: Date,
): Promise<SchedulePreview> {
  if (zone !== undefined && !findTimeZone(zone)) throw invalid('time_zone', 'is not a known time zone');
  const isPlaced = text.trimStart().startsWith('TZ=');
  const schedule = parseSchedule(isPlaced || zone === undefined ? text : `TZ=${zone} ${text}`);
  const next: Date[] = [];
  for (
    let slot = nextSlot(schedule, now);
    slot && next.length < shownSlots;
    slot = nextSlot(schedule, slot)
  ) {
    next.push(slot);
  }
  if (next.length === 0) throw invalid('schedule', 'never comes: the calendar has no such day');
  const { name } = schedule.zone;
  return {
    schedule: name === 'UTC' ? schedule.expression : `TZ=${name} ${schedule.expression}`,
    description: await describeSchedule(schedule),
    time_zone: name,
    next: next.map((slot) => slot.toISOString()),
  };
}
