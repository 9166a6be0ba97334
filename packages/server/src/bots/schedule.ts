import { Cron } from 'croner';
import { invalid } from '../app-error.ts';

/** The first slot of a schedule after a moment; undefined when there is none. */
export function nextSlot(schedule: string, after: Date): Date | undefined {
  return parseSchedule(schedule).nextRun(after) ?? undefined;
}

/** Five cron fields, in UTC unless `TZ=Area/City ` stands before them. */
function parseSchedule(schedule: string): Cron {
  const match = /^(?:TZ=(\S+) +)?(\S+(?: +\S+){4})$/.exec(schedule.trim());
  if (!match?.[2]) {
    throw invalid('schedule', 'must be five cron fields, with TZ=Area/City before them where it is not UTC');
  }
  const [, timezone = 'UTC', fields] = match;
  if (!isTimeZone(timezone)) throw invalid('schedule', 'names an unknown time zone');
  try {
    return new Cron(fields, { timezone, paused: true, mode: '5-part' });
  } catch {
    throw invalid('schedule', 'is not a cron expression that can be read');
  }
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
