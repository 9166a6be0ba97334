import { AppError, invalid } from '../../app-error.ts';
import { type CronFields, parseCronFields } from './cron-fields.ts';
import { findTimeZone, type TimeZone } from './time-zone.ts';

export interface Schedule {
  fields: CronFields;
  zone: TimeZone;
}

/** Five cron fields, in UTC unless they follow `TZ=Area/City `. Throws VALIDATION_FAILED. */
export function parseSchedule(text: string): Schedule {
  const parts = text.trim().split(/\s+/);
  const prefix = parts[0]?.startsWith('TZ=') ? parts.shift() : undefined;
  if (parts.length !== 5) {
    throw invalid('schedule', 'must be five cron fields, with TZ=Area/City before them where it is not UTC');
  }
  const zone = findTimeZone(prefix?.slice('TZ='.length) ?? 'UTC');
  if (!zone) throw invalid('schedule', 'names an unknown time zone');
  return { fields: parseCronFields(parts), zone };
}

/** Undefined for an invalid schedule, which an older version may have stored. */
export function findSchedule(text: string): Schedule | undefined {
  try {
    return parseSchedule(text);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
