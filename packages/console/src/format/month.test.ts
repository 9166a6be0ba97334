import { expect, it } from 'vitest';
import { addMonths, dayName, isMonth, monthName, weeksOf } from './month.ts';

const daysOf = (month: string, count: number) =>
  Array.from({ length: count }, (_, day) => ({ date: `${month}-${String(day + 1).padStart(2, '0')}` }));

it('lays a month out in weeks that begin on Monday', () => {
  const weeks = weeksOf(daysOf('2026-11', 30));
  expect(weeks).toHaveLength(6);
  // November 2026 begins on a Sunday.
  expect(weeks[0]?.map((day) => day?.date)).toEqual([...Array(6).fill(undefined), '2026-11-01']);
  expect(weeks[5]?.map((day) => day?.date)).toEqual(['2026-11-30', ...Array(6).fill(undefined)]);
});

it('goes from month to month over the end of a year', () => {
  expect(addMonths('2026-12', 1)).toBe('2027-01');
  expect(addMonths('2026-01', -1)).toBe('2025-12');
});

it('names months and days', () => {
  expect(monthName('2026-11')).toBe('November 2026');
  expect(dayName('2026-11-16')).toBe('Monday 16 November');
  expect([isMonth('2026-11'), isMonth('2026-13'), isMonth(undefined)]).toEqual([true, false, false]);
});
