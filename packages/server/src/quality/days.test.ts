import { expect, it } from 'vitest';
import { everyDay, firstOfDays, inAll } from './days.ts';

const now = new Date('2026-03-01T00:30:00Z');
const day = (date: string, graded: number, averageScore: number | null) => ({
  day: date,
  graded,
  averageScore,
  refused: 1,
  ungraded: 2,
  validated: 3,
  supported: 2,
  unsupported: 1,
});

it('counts days in UTC, today included', () => {
  expect(firstOfDays(1, now)).toEqual(new Date('2026-03-01T00:00:00Z'));
  expect(firstOfDays(3, now)).toEqual(new Date('2026-02-27T00:00:00Z'));
});

it('leaves out no day', () => {
  const counted = [day('2026-02-28', 4, 0.5)];
  const days = everyDay(counted, 3, now);
  expect(days.map((one) => one.day)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  expect(days[1]).toEqual(counted[0]);
  expect(days[2]).toMatchObject({ graded: 0, averageScore: null, unsupported: 0 });
});

it('sums up with every reply counting alike', () => {
  expect(inAll([day('2026-02-28', 3, 1), day('2026-03-01', 1, 0)])).toEqual({
    graded: 4,
    averageScore: 0.75,
    refused: 2,
    ungraded: 4,
    validated: 6,
    supported: 4,
    unsupported: 2,
  });
  expect(inAll([]).averageScore).toBeNull();
});
