import { AppError, invalid } from '../../lib/app-error.ts';
import { type CronFields, parseCronFields } from './cron-fields.ts';
import { findTimeZone, type TimeZone } from './time-zone.ts';

export interface Schedule {
  /** The five fields as they were written, one space apart. */
  expression: string;
  fields: CronFields;
  zone: TimeZone;
}

/** Five cron fields, in UTC unless preceded by `TZ=Area/City `. Throws VALIDATION_FAILED. */
export function parseSchedule(text: string): Schedule {
  const words = text.trim().split(/\s+/);
  const prefix = words[0]?.startsWith('TZ=') ? words.shift() : undefined;
  if (words.length !== 5) {
    throw invalid(
      'schedule',
      'must have five fields: minute, hour, day of the month, month, day of the week',
    );
  }
  const zone = findTimeZone(prefix?.slice('TZ='.length) ?? 'UTC');
  if (!zone) throw invalid('schedule', 'names an unknown time zone');
  return { expression: words.join(' '), fields: parseCronFields(words), zone };
}

/** Undefined if the schedule cannot be read; an older version may have stored it. */
export function findSchedule(text: string): Schedule | undefined {
  try {
    return parseSchedule(text);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
