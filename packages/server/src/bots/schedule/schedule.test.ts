import { describe, expect, it } from 'vitest';
import { describeSchedule } from './describe-schedule.ts';
import { parseSchedule } from './schedule.ts';

describe('what cannot be read is refused with the reason', () => {
  const shape = 'must be five cron fields, with TZ=Area/City before them where it is not UTC';
  it.each([
    ['', shape],
    ['daily', shape],
    ['@daily', shape],
    ['* * * *', shape],
    ['* * * * * *', shape],
    ['TZ=Europe/Berlin0 9 * * *', shape],
    ['TZ=Mars/Base 0 9 * * *', 'names an unknown time zone'],
    ['TZ= 0 9 * * *', 'names an unknown time zone'],
    ['TZ=+02:00 0 9 * * *', 'names an unknown time zone'],
    ['61 * * * *', 'has "61" for the minute, which is not between 0 and 59'],
    ['1e1 * * * *', 'has "1e1" for the minute, which is not between 0 and 59'],
    ['-1 * * * *', 'has "-1" for the minute, which cannot be read'],
    ['*-5 * * * *', 'has "*-5" for the minute, which cannot be read'],
    ['*/0 * * * *', 'has "*/0" for the minute, which steps too far or not at all'],
    ['*/90 * * * *', 'has "*/90" for the minute, which steps too far or not at all'],
    ['0 24 * * *', 'has "24" for the hour, which is not between 0 and 23'],
    ['0 17-9 * * *', 'has "17-9" for the hour, which runs backwards'],
    ['0 0 0 * *', 'has "0" for the day of the month, which is not between 1 and 31'],
    ['0 0 1,,2 * *', 'has "" for the day of the month, which cannot be read'],
    ['0 0 * XYZ *', 'has "XYZ" for the month, which is not between 1 and 12'],
    ['0 0 * * 8', 'has "8" for the day of the week, which is not between 0 and 7'],
    ['0 0 * * 1#6', 'has "1#6" for the day of the week, which is not between 0 and 7'],
  ])('%j', (text, message) => {
    expect(() => parseSchedule(text)).toThrow(`schedule ${message}`);
  });
});

describe('in words', () => {
  it.each([
    ['* * * * *', 'Every minute (UTC)'],
    ['*/5 * * * *', 'Every 5 minutes (UTC)'],
    ['0,30 * * * *', 'Every 30 minutes (UTC)'],
    ['0 * * * 1-5', 'Every hour, on the hour, Monday through Friday (UTC)'],
    ['5/20 * * * *', 'Every hour, at minutes 5, 25 and 45 (UTC)'],
    ['1-10 * * * *', 'Every hour, at minutes 1 through 10 (UTC)'],
    ['15 */2 * * *', 'Every 2 hours, at minute 15 (UTC)'],
    ['0 9 * * *', 'At 09:00, every day (UTC)'],
    ['TZ=Europe/Berlin 0 9 * * MON-FRI', 'At 09:00, Monday through Friday (Europe/Berlin)'],
    ['0 9 * * mon-sun', 'At 09:00, every day of the week (UTC)'],
    ['30 2,14 * * 1,3', 'At 02:30 and 14:30, every Monday and Wednesday (UTC)'],
    [
      '*/10 9-12,14-17 * * *',
      'Every 10 minutes, from 09:00 to 12:50 and from 14:00 to 17:50, every day (UTC)',
    ],
    ['0 9-17 * * 6-7', 'Every hour, on the hour, from 09:00 to 17:00, every Saturday and Sunday (UTC)'],
    ['0 0 1,15 * *', 'At 00:00, on days 1 and 15 of the month (UTC)'],
    ['0 0 13 * 5', 'At 00:00, every Friday and on day 13 of the month (UTC)'],
    [
      '0 0 1-7,L 3 *',
      'At 00:00, on days 1 through 7 of the month and on the last day of the month, in March (UTC)',
    ],
    ['0 8 * * 1#1,5L', 'At 08:00, the first Monday of the month and the last Friday of the month (UTC)'],
    ['0 12 * JAN,JUN-AUG *', 'At 12:00, every day, in January and June through August (UTC)'],
  ])('%j', (text, words) => {
    expect(describeSchedule(parseSchedule(text))).toBe(words);
  });
});
