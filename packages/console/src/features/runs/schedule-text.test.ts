import { describe, expect, it } from 'vitest';
import { joinSchedule, pastedSchedule, splitSchedule, timeIn, timeZones } from './schedule-text.ts';

describe('a schedule', () => {
  it.each([
    ['0 9 * * 1-5', { cron: '0 9 * * 1-5', zone: undefined }],
    ['TZ=Europe/Berlin 0 9 * * *', { cron: '0 9 * * *', zone: 'Europe/Berlin' }],
    ['TZ=Europe/Berlin 0 9 * ', { cron: '0 9 * ', zone: 'Europe/Berlin' }],
    ['', { cron: '', zone: undefined }],
  ])('%j is split, and joined again', (text, parts) => {
    expect(splitSchedule(text)).toEqual(parts);
    expect(joinSchedule(parts)).toBe(text);
  });

  it('without fields is none, whatever its time zone', () => {
    expect(joinSchedule({ cron: ' ', zone: 'Europe/Berlin' })).toBe('');
  });

  it('that is pasted brings its time zone', () => {
    expect(pastedSchedule('TZ=Asia/Tokyo 0 9 * * *')).toEqual({ cron: '0 9 * * *', zone: 'Asia/Tokyo' });
    expect(pastedSchedule('TZ=Asia/Tokyo ')).toBeUndefined();
    expect(pastedSchedule('0 9 * * *')).toBeUndefined();
  });

  it('in UTC names no time zone', () => {
    expect(joinSchedule({ cron: '0 9 * * *', zone: 'UTC' })).toBe('0 9 * * *');
  });
});

it('shows a moment in two time zones', () => {
  const moment = '2026-11-17T08:00:00.000Z';
  expect(timeIn('Europe/Berlin', moment)).toBe('Tue 17 Nov, 09:00');
  expect(timeIn('America/New_York', moment)).toBe('Tue 17 Nov, 03:00');
});

it('offers the current time zone first and each only once', () => {
  const zones = timeZones('Asia/Tokyo');
  expect(zones[0]).toBe('Asia/Tokyo');
  expect(new Set(zones).size).toBe(zones.length);
});
