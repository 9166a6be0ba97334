import type { DayCounts } from './quality.store.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** The start, in UTC, of the first of `days` days that end today. */
export function firstOfDays(days: number, now: Date): Date {
  const today = Math.floor(now.getTime() / dayMilliseconds) * dayMilliseconds;
  return new Date(today - (days - 1) * dayMilliseconds);
}

/** One entry for every day, oldest first, even if nothing happened on it. */
export function everyDay(counted: readonly DayCounts[], days: number, now: Date): DayCounts[] {
  const first = firstOfDays(days, now).getTime();
  return Array.from({ length: days }, (_, index) => {
    const day = new Date(first + index * dayMilliseconds).toISOString().slice(0, 10);
    return counted.find((one) => one.day === day) ?? { day, ...nothing };
  });
}

/** All days together; the average weights every reply equally. */
export function inAll(counted: readonly DayCounts[]): Omit<DayCounts, 'day'> {
  const sum = (pick: (day: DayCounts) => number) => counted.reduce((total, day) => total + pick(day), 0);
  const graded = sum((day) => day.graded);
  return {
    graded,
    averageScore: graded === 0 ? null : sum((day) => (day.averageScore ?? 0) * day.graded) / graded,
    refused: sum((day) => day.refused),
    ungraded: sum((day) => day.ungraded),
    validated: sum((day) => day.validated),
    supported: sum((day) => day.supported),
    unsupported: sum((day) => day.unsupported),
  };
}

const nothing = {
  graded: 0,
  averageScore: null,
  refused: 0,
  ungraded: 0,
  validated: 0,
  supported: 0,
  unsupported: 0,
};
