import { type UsageKey, type UsageQuery, usageKeys } from '@svc/contract/usage';
import { invalid } from '../../lib/app-error.ts';

/** Usage from `from` (included) to `to` (excluded). */
export type UsageWanted = ReturnType<typeof readUsageQuery>;

const dayMilliseconds = 24 * 60 * 60 * 1_000;
const usualDays = 30;
const maxDays = 366;
const date = /^\d{4}-\d{2}-\d{2}$/;
const moment = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** Throws VALIDATION_FAILED that names the field. Days are in UTC; a day as the end is included. */
export function readUsageQuery({ from, to, by }: UsageQuery, now: Date) {
  const end = to === undefined ? now : readMoment('to', to, dayMilliseconds);
  const start =
    from === undefined ? new Date(end.getTime() - usualDays * dayMilliseconds) : readMoment('from', from, 0);
  if (start >= end) throw invalid('from', 'must be before to.');
  if (end.getTime() - start.getTime() > maxDays * dayMilliseconds) {
    throw invalid('from', `must be at most ${maxDays} days before to.`);
  }
  return { from: start, to: end, by: readKeys(by) };
}

function readMoment(field: string, text: string, lengthOfDay: number): Date {
  const isDate = date.test(text);
  const time = (isDate || moment.test(text)) && isRealDay(text) ? Date.parse(text.toUpperCase()) : Number.NaN;
  if (Number.isNaN(time)) {
    throw invalid(field, 'must be a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z.');
  }
  return new Date(isDate ? time + lengthOfDay : time);
}

/** `Date.parse` reads February 30 as a day of March. */
function isRealDay(text: string): boolean {
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10));
}

function readKeys(by: string | undefined): UsageKey[] {
  if (by === undefined) return [];
  const keys = by.split(',').map((key) => key.trim());
  const unknown = keys.find((key) => !usageKeys.some((known) => known === key));
  if (unknown !== undefined) {
    throw invalid('by', `must be one or more of ${usageKeys.join(', ')}, separated by commas.`);
  }
  return usageKeys.filter((key) => keys.includes(key));
}
