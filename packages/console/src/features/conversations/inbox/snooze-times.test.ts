import { expect, it } from 'vitest';
import { snoozeTimes } from './snooze-times.ts';

it.each([
  // A Wednesday, a Sunday and a Monday.
  ['2026-11-18T16:30:00', ['2026-11-19T09:00:00', '2026-11-23T09:00:00']],
  ['2026-11-22T23:30:00', ['2026-11-23T09:00:00']],
  ['2026-11-23T08:00:00', ['2026-11-24T09:00:00', '2026-11-30T09:00:00']],
])('offers mornings after %s', (now, mornings) => {
  const times = snoozeTimes(new Date(now)).map(({ at }) => at);
  expect(times.slice(2)).toEqual(mornings.map((at) => new Date(at)));
  expect(times.slice(0, 2).map((at) => at.getTime() - new Date(now).getTime())).toEqual([
    3_600_000, 10_800_000,
  ]);
});
