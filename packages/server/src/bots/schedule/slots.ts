import type { CronFields } from './cron-fields.ts';
import type { Schedule } from './schedule.ts';
import type { TimeZone } from './time-zone.ts';

const minute = 60_000;
/** The rarest day there is, a fifth weekday of February, comes back within forty years. */
const searchedDays = 41 * 366;

/** The first slot of a schedule after a moment; undefined when it never has one. */
export function nextSlot(schedule: Schedule, after: Date): Date | undefined {
  const start = dayOf(schedule.zone, after.getTime()) - dayLength;
  const firstOf = (day: number) => slotsOfDay(schedule, day).find((slot) => slot > after.getTime());
  for (let day = start; day < start + searchedDays * dayLength; day = followingDay(schedule.fields, day)) {
    const first = firstOf(day);
    // Where a clock goes back over midnight, the next day's first slot may come before this day's last.
    if (first !== undefined) return new Date(Math.min(first, firstOf(day + dayLength) ?? first));
  }
  return undefined;
}

/** The slots after one moment, up to and including another: the newest of them, and how many there are, up to a limit. */
export function slotsBetween(
  schedule: Schedule,
  { after, until, limit }: { after: Date; until: Date; limit: number },
): { newest: Date | undefined; count: number } {
  const first = dayOf(schedule.zone, after.getTime()) - dayLength;
  const found = new Set<number>();
  let day = dayOf(schedule.zone, until.getTime()) + dayLength;
  // One day more than is needed, for the same reason as above.
  for (let enough = false; day >= first && !enough; day -= dayLength) {
    enough = found.size >= limit;
    for (const slot of slotsOfDay(schedule, day)) {
      if (slot > after.getTime() && slot <= until.getTime()) found.add(slot);
    }
  }
  const newest = found.size > 0 ? new Date(Math.max(...found)) : undefined;
  return { newest, count: Math.min(found.size, limit) };
}

/** The slots after one moment, up to and including another, in order; computed as they are taken. */
export function* slotsWithin(
  schedule: Schedule,
  { after, until }: { after: Date; until: Date },
): Generator<number> {
  const last = dayOf(schedule.zone, until.getTime()) + dayLength;
  let newest = after.getTime();
  for (let day = dayOf(schedule.zone, newest) - dayLength; day <= last; day += dayLength) {
    for (const slot of slotsOfDay(schedule, day)) {
      if (slot <= newest) continue;
      if (slot > until.getTime()) return;
      newest = slot;
      yield slot;
    }
  }
}

/**
 * The slots of a local day, in order. On days when the clock changes, a schedule for every hour
 * follows real time. One that names hours fires once for each of its times: the first time it comes, or, when the clock
 * jumps over it, at the moment after the jump.
 */
function slotsOfDay({ fields, zone }: Schedule, day: number): number[] {
  if (!fitsDay(fields, day)) return [];
  const times = fields.hours.flatMap((hour) =>
    fields.minutes.map((minutes) => day + (hour * 60 + minutes) * minute),
  );
  // Wide enough for a clock on either side of the date line.
  const [from, to] = [day - dayLength, day + 2 * dayLength];
  const [before, after] = [zone.offsetAt(from), zone.offsetAt(to)];
  if (before === after) return times.map((time) => time - before);
  const change = { before, after, at: findChange(zone, from, to) };
  const isEveryHour = fields.hours.length === 24;
  const slots = times.flatMap((time) => {
    const instants = instantsOf(time, change);
    if (isEveryHour) return instants;
    return [instants[0] ?? change.at];
  });
  return [...new Set(slots)].toSorted((one, other) => one - other);
}

interface Change {
  /** The first moment with the new offset. */
  at: number;
  before: number;
  after: number;
}

/** The moments at which a local clock shows a time: none, one or two. */
function instantsOf(time: number, { at, before, after }: Change): number[] {
  const [early, late] = [time - before, time - after];
  return [...(early < at ? [early] : []), ...(late >= at ? [late] : [])];
}

/** The moment between two at which the offset changes: on a whole second, and nowhere twice within three days. */
function findChange(zone: TimeZone, from: number, to: number): number {
  const before = zone.offsetAt(from);
  let [old, changed] = [from, to];
  while (changed - old > 1_000) {
    const middle = old + Math.floor((changed - old) / 2_000) * 1_000;
    if (zone.offsetAt(middle) === before) old = middle;
    else changed = middle;
  }
  return changed;
}

function dayOf(zone: TimeZone, instant: number): number {
  const wall = instant + zone.offsetAt(instant);
  return wall - (((wall % dayLength) + dayLength) % dayLength);
}

const dayLength = 86_400_000;

/** Whether a schedule has slots on a day, given as its midnight in UTC. */
function fitsDay({ months, days, weekdays }: CronFields, day: number): boolean {
  const date = new Date(day);
  if (!months.includes(date.getUTCMonth() + 1)) return false;
  if (weekdays.isAny) return days.isAny || fitsDayOfMonth(days, date);
  if (days.isAny) return fitsWeekday(weekdays, date);
  // As in every cron: when both are given, a match of either is enough.
  return fitsDayOfMonth(days, date) || fitsWeekday(weekdays, date);
}

/** The first day of the next month that has slots, when this month has none; otherwise the next day. */
function followingDay({ months }: CronFields, day: number): number {
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
