import { serverNow } from './server-time.ts';

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const planned = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** `3 min. ago`, `in 2 hr.`, `now`. */
export function relativeTime(date: Date, now = serverNow()): string {
  const seconds = Math.round((date.getTime() - now) / 1000);
  const step = steps.find(([, length]) => Math.abs(seconds) >= length);
  return step ? relative.format(Math.trunc(seconds / step[1]), step[0]) : 'just now';
}

export function exactTime(date: Date): string {
  return exact.format(date);
}

/** To the minute: when something is to happen. */
export function plannedTime(date: Date): string {
  return planned.format(date);
}

export function clockTime(date: Date): string {
  return clock.format(date);
}

export function dayOf(date: Date): string {
  return day.format(date);
}

/** `240 ms`, `3.1 s`, `14 min`, `2 h 5 min`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return rest === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${rest} min`;
}
