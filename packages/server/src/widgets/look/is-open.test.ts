import type { OfficeHours } from '@svc/contract/widgets';
import { expect, it } from 'vitest';
import { isOpen } from './is-open.ts';

const at = (
  zone: string,
  ...times: [day: OfficeHours['opening_times'][0]['day'], opens: string, closes: string][]
) => ({
  time_zone: zone,
  opening_times: times.map(([day, opens, closes]) => ({ day, opens, closes })),
  closed_text: 'Closed.',
});
const check = (hours: OfficeHours, ...instants: string[]) =>
  instants.map((instant) => isOpen(hours, new Date(instant)));

it('opens and closes to the minute, and not on days without times', () => {
  // A Thursday, when Berlin is an hour ahead.
  const hours = at('Europe/Berlin', ['thursday', '09:00', '12:00'], ['thursday', '13:00', '17:30']);
  const day = ['07:59:59', '08:00', '10:59:59', '11:00', '12:00', '16:29:59', '16:30'];
  const instants = day.map((time) => `2026-11-19T${time}Z`);
  expect(check(hours, ...instants)).toEqual([false, true, true, false, true, true, false]);
  expect(check(hours, '2026-11-20T09:00Z', '2026-11-18T09:00Z')).toEqual([false, false]);
  expect(check(at('Europe/Berlin'), '2026-11-19T10:00Z')).toEqual([false]);
});

it('follows daylight saving time', () => {
  const hours = at('Europe/Berlin', ['friday', '09:00', '17:00']);
  // An hour ahead of UTC in winter, two in summer.
  expect(check(hours, '2026-03-27T07:30Z', '2026-04-03T07:30Z')).toEqual([false, true]);
  // The hour from two to three does not exist, and then exists twice.
  const night = at('Europe/Berlin', ['sunday', '02:00', '03:00']);
  expect(check(night, '2026-03-29T00:59Z', '2026-03-29T01:00Z')).toEqual([false, false]);
  const twice = ['2026-10-24T23:59Z', '2026-10-25T00:30Z', '2026-10-25T01:30Z', '2026-10-25T02:00Z'];
  expect(check(night, ...twice)).toEqual([false, true, true, false]);
});

it('can be open through midnight, with a time on both days', () => {
  const hours = at('America/New_York', ['friday', '22:00', '24:00'], ['saturday', '00:00', '02:00']);
  const instants = [
    '2026-11-21T02:59Z',
    '2026-11-21T03:00Z',
    '2026-11-21T04:59Z',
    '2026-11-21T05:00Z',
    '2026-11-21T07:00Z',
  ];
  expect(check(hours, ...instants)).toEqual([false, true, true, true, false]);
});

it('has the day of the zone, not of UTC', () => {
  const hours = at('Pacific/Auckland', ['monday', '00:00', '24:00']);
  expect(check(hours, '2026-11-22T10:59Z', '2026-11-22T11:00Z', '2026-11-23T11:00Z')).toEqual([
    false,
    true,
    false,
  ]);
  const india = at('Asia/Kolkata', ['monday', '09:00', '10:00']);
  expect(check(india, '2026-11-23T03:29Z', '2026-11-23T03:30Z')).toEqual([false, true]);
});

it('is open where the zone is not known any more', () => {
  expect(check(at('Mars/Olympus'), '2026-11-19T10:00Z')).toEqual([true]);
});
