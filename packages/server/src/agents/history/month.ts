import type { TimeZone } from '../../bots/bots.service.ts';

const dayLength = 24 * 3_600_000;

export interface CalendarDay {
  /** `2026-11-16`. */
  date: string;
  from: Date;
  /** The start of the next day. */
  until: Date;
}

/** The days of a month, `2026-11`, as a time zone has them. */
export function daysOf(month: string, zone: TimeZone): CalendarDay[] {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate();
  const starts = Array.from({ length: count + 1 }, (_, day) =>
    startOf(Date.UTC(year, number - 1, day + 1), zone),
  );
  return starts.slice(0, -1).map((from, index) => ({
    date: `${month}-${String(index + 1).padStart(2, '0')}`,
    from,
    until: starts[index + 1] ?? from,
  }));
}

/** The moment at which a local clock shows midnight for the first time, or jumps over it. */
function startOf(midnight: number, zone: TimeZone): Date {
  const offsets = [zone.offsetAt(midnight - dayLength), zone.offsetAt(midnight + dayLength)];
  const early = midnight - Math.max(...offsets);
  const late = midnight - Math.min(...offsets);
  return new Date(early + zone.offsetAt(early) >= midnight ? early : late);
}

/** The index of the day that a moment falls on; -1 outside of the month. */
export function dayIndex(days: readonly CalendarDay[], moment: number): number {
  let [low, high] = [0, days.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const day = days[middle];
    if (!day) return -1;
    if (moment < day.from.getTime()) high = middle - 1;
    else if (moment >= day.until.getTime()) low = middle + 1;
    else return middle;
  }
  return -1;
}
