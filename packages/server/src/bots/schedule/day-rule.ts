import type { CronFields } from './cron-fields.ts';

export const dayLength = 86_400_000;

/** Whether a schedule has slots on a day, given as its midnight in UTC. */
export function fitsDay({ months, days, weekdays }: CronFields, day: number): boolean {
  const date = new Date(day);
  if (!months.includes(date.getUTCMonth() + 1)) return false;
  if (weekdays.isAny) return days.isAny || fitsDayOfMonth(days, date);
  if (days.isAny) return fitsWeekday(weekdays, date);
  // As in every cron: when both are given, a match of either is enough.
  return fitsDayOfMonth(days, date) || fitsWeekday(weekdays, date);
}

/** The first day of the next month that has slots, when this month has none; otherwise the next day. */
export function followingDay({ months }: CronFields, day: number): number {
  const date = new Date(day);
  if (months.includes(date.getUTCMonth() + 1)) return day + dayLength;
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

function fitsDayOfMonth(days: CronFields['days'], date: Date): boolean {
  return days.numbers.includes(date.getUTCDate()) || (days.last && isLastDay(date, 1));
}

function fitsWeekday(weekdays: CronFields['weekdays'], date: Date): boolean {
  const weekday = date.getUTCDay();
  if (weekdays.numbers.includes(weekday)) return true;
  const nth = Math.ceil(date.getUTCDate() / 7);
  return weekdays.ofMonth.some(
    (rule) => rule.weekday === weekday && (rule.nth === 'last' ? isLastDay(date, 7) : rule.nth === nth),
  );
}

/** Whether a day is among the last `amount` days of its month. */
function isLastDay(date: Date, amount: number): boolean {
  return new Date(date.getTime() + amount * dayLength).getUTCMonth() !== date.getUTCMonth();
}
