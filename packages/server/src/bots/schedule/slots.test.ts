import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/sample.ts';
import { parseSchedule } from './schedule.ts';
import { nextSlot, slotsBetween } from './slots.ts';

/** The next slots, as instants without seconds. */
function slotsAfter(text: string, after: string, count: number): string[] {
  const schedule = parseSchedule(text);
  const found: string[] = [];
  let moment: Date | undefined = new Date(after);
  while (found.length < count) {
    moment = nextSlot(schedule, moment);
    if (!moment) return [...found, 'never'];
    found.push(moment.toISOString().replace(':00.000Z', 'Z'));
  }
  return found;
}

describe('the calendar', () => {
  it.each([
    ['0 0 29 2 *', '2026-11-15T12:00Z', ['2028-02-29T00:00Z', '2032-02-29T00:00Z']],
    ['0 0 29 2 *', '2096-03-01T00:00Z', ['2104-02-29T00:00Z']],
    ['0 0 31 * *', '2026-01-31T00:00Z', ['2026-03-31T00:00Z', '2026-05-31T00:00Z']],
    ['0 0 L * *', '2028-01-31T00:00Z', ['2028-02-29T00:00Z', '2028-03-31T00:00Z']],
    ['0 0 13 * 5', '2026-11-06T00:00Z', ['2026-11-13T00:00Z', '2026-11-20T00:00Z']],
    ['0 0 29 2 1', '2028-02-22T00:00Z', ['2028-02-28T00:00Z', '2028-02-29T00:00Z']],
    ['0 0 * * 1#5', '2026-11-15T00:00Z', ['2026-11-30T00:00Z', '2027-03-29T00:00Z']],
    ['0 0 * * 5L', '2026-11-15T00:00Z', ['2026-11-27T00:00Z', '2026-12-25T00:00Z']],
    ['0 0 * 2 1#5', '2016-03-01T00:00Z', ['2044-02-29T00:00Z', '2072-02-29T00:00Z']],
    ['0 0 * 2 1#5', '2072-03-01T00:00Z', ['2112-02-29T00:00Z']],
    ['59 23 31 12 *', '2026-12-31T23:58Z', ['2026-12-31T23:59Z', '2027-12-31T23:59Z']],
    ['30 2 30 2 *', '2026-11-15T12:00Z', ['never']],
    ['0 0 31 4,6,9,11 *', '2026-11-15T12:00Z', ['never']],
  ])('%j after %s', (text, after, slots) => {
    expect(slotsAfter(text, after, slots.length)).toEqual(slots);
  });
});

describe('where the clock changes', () => {
  it.each([
    // 02:00 becomes 03:00 in Berlin.
    ['TZ=Europe/Berlin 30 2 * * *', '2026-03-28T12:00Z', ['2026-03-29T01:00Z', '2026-03-30T00:30Z']],
    ['TZ=Europe/Berlin 30 2,14 * * *', '2026-03-28T20:00Z', ['2026-03-29T01:00Z', '2026-03-29T12:30Z']],
    ['TZ=Europe/Berlin */20 2-3 * * *', '2026-03-28T20:00Z', ['2026-03-29T01:00Z', '2026-03-29T01:20Z']],
    [
      'TZ=Europe/Berlin */30 * * * *',
      '2026-03-29T00:29Z',
      ['2026-03-29T00:30Z', '2026-03-29T01:00Z', '2026-03-29T01:30Z'],
    ],
    // 03:00 becomes 02:00 in Berlin.
    [
      'TZ=Europe/Berlin 30 2 * * *',
      '2026-10-24T12:00Z',
      ['2026-10-25T00:30Z', '2026-10-26T01:30Z', '2026-10-27T01:30Z'],
    ],
    ['TZ=Europe/Berlin 30 2 * * *', '2026-10-25T00:45Z', ['2026-10-26T01:30Z']],
    ['TZ=Europe/Berlin 30 2 * * *', '2026-10-25T01:15Z', ['2026-10-26T01:30Z']],
    ['TZ=Europe/Berlin 30 2,14 * * *', '2026-10-24T20:00Z', ['2026-10-25T00:30Z', '2026-10-25T13:30Z']],
    [
      'TZ=Europe/Berlin */30 * * * *',
      '2026-10-24T23:59Z',
      [
        '2026-10-25T00:00Z',
        '2026-10-25T00:30Z',
        '2026-10-25T01:00Z',
        '2026-10-25T01:30Z',
        '2026-10-25T02:00Z',
      ],
    ],
    // Half an hour, at Lord Howe.
    ['TZ=Australia/Lord_Howe 15 2 * * *', '2026-10-02T20:00Z', ['2026-10-03T15:30Z', '2026-10-04T15:15Z']],
    ['TZ=Australia/Lord_Howe 45 1 * * *', '2026-04-03T20:00Z', ['2026-04-04T14:45Z', '2026-04-05T15:15Z']],
    // Midnight itself, in Santiago.
    ['TZ=America/Santiago 0 0 * * *', '2026-09-05T12:00Z', ['2026-09-06T04:00Z', '2026-09-07T03:00Z']],
    ['TZ=America/Santiago 30 23 * * *', '2026-04-04T12:00Z', ['2026-04-05T02:30Z', '2026-04-06T03:30Z']],
    // A whole day that never was, in Samoa.
    ['TZ=Pacific/Apia 0 12 * * *', '2011-12-29T00:00Z', ['2011-12-29T22:00Z', '2011-12-30T10:00Z']],
  ])('%j after %s', (text, after, slots) => {
    expect(slotsAfter(text, after, slots.length)).toEqual(slots);
  });
});

const within = (min: number, max: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min, max }).map(String),
    fc.integer({ min: 2, max: Math.min(max, 20) }).map((step) => `*/${step}`),
    fc
      .uniqueArray(fc.integer({ min, max }), { minLength: 2, maxLength: 2 })
      .map((ends) => ends.toSorted((one, other) => one - other).join('-')),
    fc.uniqueArray(fc.integer({ min, max }), { minLength: 2, maxLength: 5 }).map((list) => list.join(',')),
  );
const cron = fc
  .tuple(within(0, 59), within(0, 23), within(1, 28), within(1, 12), within(0, 6))
  .map((fields) => fields.join(' '));
const moment = fc.date({ min: new Date('2024-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });

it('agrees with a calendar whose pages are turned', () => {
  fc.assert(
    fc.property(cron, moment, (text, after) => {
      expect(nextSlot(parseSchedule(text), after)).toEqual(turnThePages(text, after));
    }),
    runs(1_000),
  );
});

/** Looks at every day, and at every minute of those that fit. In UTC, where clocks do not change. */
function turnThePages(text: string, after: Date): Date {
  const [minutes = '', hours = '', days = '', months = '', weekdays = ''] = text.split(' ');
  const opensOn = (page: Date) => {
    const fits = [fitsText(days, page.getUTCDate(), 1), fitsText(weekdays, page.getUTCDay())];
    const either = days !== '*' && weekdays !== '*';
    return fitsText(months, page.getUTCMonth() + 1, 1) && (either ? fits.some(Boolean) : fits.every(Boolean));
  };
  for (let day = after.getTime() - (after.getTime() % 86_400_000); ; day += 86_400_000) {
    if (!opensOn(new Date(day))) continue;
    for (let slot = day; slot < day + 86_400_000; slot += 60_000) {
      const time = new Date(slot);
      if (slot <= after.getTime() || !fitsText(hours, time.getUTCHours())) continue;
      if (fitsText(minutes, time.getUTCMinutes())) return time;
    }
  }
}

const changes = fc.constantFrom(
  ['Europe/Berlin', '2026-03-28T22:00Z'],
  ['Europe/Berlin', '2026-10-24T22:00Z'],
  ['America/New_York', '2027-03-13T22:00Z'],
  ['America/New_York', '2027-11-06T22:00Z'],
  ['America/Santiago', '2026-09-05T20:00Z'],
  ['America/Santiago', '2026-04-04T20:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T04:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T04:00Z'],
  ['Atlantic/Azores', '2026-03-28T22:00Z'],
  ['Atlantic/Azores', '2026-10-24T22:00Z'],
  ['America/St_Johns', '2005-04-02T22:00Z'],
  ['America/St_Johns', '2005-10-29T22:00Z'],
  ['Asia/Kolkata', '2026-03-28T22:00Z'],
);
const times = fc.tuple(within(0, 59), within(0, 23)).map(([minutes, hours]) => `${minutes} ${hours} * * *`);

it('agrees with a clock on the wall that is read every minute while it changes', () => {
  fc.assert(
    fc.property(changes, times, ([zone = '', from = ''], fields) => {
      const start = new Date(from).getTime();
      const end = start + 30 * 3_600_000;
      const schedule = parseSchedule(`TZ=${zone} ${fields}`);
      const expected = readTheWall(zone, fields, start, end);
      const between = { after: new Date(start), until: new Date(end), limit: 10_000 };
      const newest = expected.length > 0 ? new Date(expected.at(-1) ?? 0) : undefined;
      expect(slotsBetween(schedule, between)).toEqual({ newest, count: expected.length });
      // The clock changes within these hours.
      const around = expected.filter((slot) => slot < start + 8 * 3_600_000);
      const found = [start, ...around.slice(0, -1)].map((after) => nextSlot(schedule, new Date(after)));
      if (around.length > 0) expect(found.map(Number)).toEqual(around);
    }),
    runs(80),
  );
});

/** Looks at the clock every minute, and fires what it shows for the first time, or has just jumped over. */
function readTheWall(zone: string, fields: string, start: number, end: number): number[] {
  const [minuteText = '', hourText = ''] = fields.split(' ');
  const minutes = Array.from({ length: 60 }, (_, minute) => fitsText(minuteText, minute));
  const hours = Array.from({ length: 24 }, (_, hour) => fitsText(hourText, hour));
  const fits = (wall: number) => {
    const date = new Date(wall);
    return minutes[date.getUTCMinutes()] && hours[date.getUTCHours()];
  };
  const everyHour = hours.every(Boolean);
  const seen = new Set<number>();
  const slots: number[] = [];
  // A day earlier, to know what was seen before.
  for (let now = start - 24 * 3_600_000, previous = wallAt(zone, now); now <= end; now += 60_000) {
    const wall = wallAt(zone, now);
    const isNew = !seen.has(wall);
    seen.add(wall);
    const jumped = Array.from({ length: Math.max(0, (wall - previous) / 60_000 - 1) }, (_, index) => {
      return previous + (index + 1) * 60_000;
    });
    const shows = fits(wall) && (isNew || everyHour);
    const missed = !everyHour && jumped.some((time) => !seen.has(time) && fits(time));
    if (now > start && (shows || missed)) slots.push(now);
    previous = wall;
  }
  return slots;
}

/** Reading a clock is slow, and the same few days are read again and again. */
const clocks = new Map<string, Intl.DateTimeFormat>();
const readings = new Map<string, number>();

function wallAt(zone: string, instant: number): number {
  const known = readings.get(`${zone} ${instant}`);
  if (known !== undefined) return known;
  const format =
    clocks.get(zone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  clocks.set(zone, format);
  const wall = Date.parse(`${format.format(instant).replace(' ', 'T')}:00Z`);
  readings.set(`${zone} ${instant}`, wall);
  return wall;
}

function fitsText(text: string, value: number, lowest = 0): boolean {
  return text.split(',').some((part) => {
    const [range = '', step] = part.split('/');
    const [from = lowest, to = range === '*' ? 59 : from] = range === '*' ? [] : range.split('-').map(Number);
    return value >= from && value <= to && (value - from) % Number(step ?? 1) === 0;
  });
}

it('stops counting at the limit', () => {
  const every = parseSchedule('* * * * *');
  const between = {
    after: new Date('2026-01-01T00:00Z'),
    until: new Date('2030-01-01T00:00Z'),
    limit: 1_000,
  };
  expect(slotsBetween(every, between)).toEqual({ newest: between.until, count: 1_000 });
});

it('finds nothing where nothing lies', () => {
  const daily = parseSchedule('0 9 * * *');
  const between = { after: new Date('2026-01-01T09:00Z'), until: new Date('2026-01-02T08:59Z'), limit: 10 };
  expect(slotsBetween(daily, between)).toEqual({ newest: undefined, count: 0 });
});
