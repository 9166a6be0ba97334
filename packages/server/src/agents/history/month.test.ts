import { describe, expect, it } from 'vitest';
import { findTimeZone } from '../../bots/bots.service.ts';
import { dayIndex, daysOf } from './month.ts';

function monthIn(zoneName: string, month: string) {
  const zone = findTimeZone(zoneName);
  if (!zone) throw new Error(`There is no zone ${zoneName}.`);
  return daysOf(month, zone);
}

describe('a month', () => {
  it.each([
    ['Europe/Berlin', '2026-03', '2026-03-29', '2026-03-28T23:00:00.000Z', 23],
    ['Europe/Berlin', '2026-10', '2026-10-25', '2026-10-24T22:00:00.000Z', 25],
    // The clock jumps over midnight, west and east of Greenwich.
    ['America/Santiago', '2026-09', '2026-09-06', '2026-09-06T04:00:00.000Z', 23],
    ['Africa/Cairo', '2026-04', '2026-04-24', '2026-04-23T22:00:00.000Z', 23],
    // It shows midnight twice, or the hour before it.
    ['America/Havana', '2026-11', '2026-11-01', '2026-11-01T04:00:00.000Z', 25],
    ['America/Santiago', '2026-04', '2026-04-04', '2026-04-04T03:00:00.000Z', 25],
  ])('of %s, %s: %s begins at %s and has %i hours', (zone, month, date, from, hours) => {
    const day = monthIn(zone, month).find((one) => one.date === date);
    expect(day?.from.toISOString()).toBe(from);
    expect(((day?.until.getTime() ?? 0) - (day?.from.getTime() ?? 0)) / 3_600_000).toBe(hours);
  });

  it('finds the day of a moment', () => {
    const days = monthIn('America/Santiago', '2026-09');
    // 23:30 on Saturday, half an hour before the clock jumps.
    expect(days[dayIndex(days, Date.parse('2026-09-06T03:30:00Z'))]?.date).toBe('2026-09-05');
    expect(dayIndex(days, Date.parse('2026-10-06T03:30:00Z'))).toBe(-1);
  });
});
