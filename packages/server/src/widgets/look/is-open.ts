import { type OfficeHours, weekdays } from '@svc/contract/widgets';
import { findTimeZone } from '../../bots/bots.service.ts';

/** Whether people of the team are there, by the clock on the wall: an hour that a day has twice is open twice. */
export function isOpen({ time_zone: name, opening_times: times }: OfficeHours, now: Date): boolean {
  const zone = findTimeZone(name);
  // It was known when it was stored, so this node has older data.
  if (!zone) return true;
  const local = new Date(now.getTime() + zone.offsetAt(now.getTime()));
  const today = weekdays[(local.getUTCDay() + 6) % 7];
  const time = local.toISOString().slice(11, 16);
  return times.some(({ day, opens, closes }) => day === today && opens <= time && time < closes);
}
