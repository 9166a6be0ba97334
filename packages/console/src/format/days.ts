import { serverNow } from './server-time.ts';

const short = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const long = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** `Nov 15`, for a day of UTC such as `2026-11-15`. */
export function shortDay(day: string): string {
  return short.format(new Date(`${day}T00:00:00Z`));
}

export function plainDay(day: string): string {
  return long.format(new Date(`${day}T00:00:00Z`));
}

/** Today, in UTC. */
export function today(now = new Date(serverNow())): string {
  return now.toISOString().slice(0, 10);
}

/** Every day from one to another, both included. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let time = Date.parse(from); time <= Date.parse(to); time += 86_400_000)
    days.push(new Date(time).toISOString().slice(0, 10));
  return days;
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}
