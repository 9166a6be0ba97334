import { describe, expect, it } from 'vitest';
import { describeSchedule } from './describe-schedule.ts';
import { parseSchedule } from './schedule.ts';

describe('what cannot be read is refused with the reason', () => {
  const shape = 'must have five fields: minute, hour, day of the month, month, day of the week';
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
    ['* * * * *', 'Every minute, every hour, every day (UTC)'],
    ['0 * * * 1-5', 'Every hour, Monday through Friday (UTC)'],
    ['5/20 * * * *', 'Every 20 minutes, starting at 5 minutes past the hour, every hour, every day (UTC)'],
    ['0 9 * * *', 'At 09:00, every day (UTC)'],
    ['TZ=Europe/Berlin  0 9 * * mon-fri', 'At 09:00, Monday through Friday (Europe/Berlin)'],
    ['30 2,14 * * 1,3', 'At 02:30 and 14:30, only on Monday and Wednesday (UTC)'],
    ['0 9-17 * * 6-7', 'Every hour, between 09:00 and 17:00, Saturday through Sunday (UTC)'],
    ['00 09 01 * 07', 'At 09:00, on day 1 of the month, and on Sunday (UTC)'],
    ['5,*/20 * * * *', 'At 5 minutes past the hour and every 20 minutes, every hour, every day (UTC)'],
    ['0 0 */1 * 1', 'At 00:00, between day 1 and 31 of the month, and on Monday (UTC)'],
    ['0 0 13 * 5', 'At 00:00, on day 13 of the month, and on Friday (UTC)'],
    ['0 0 l,1-7 3 *', 'At 00:00, on day 1 through 7 and the last day of the month, only in March (UTC)'],
    [
      '0 8 * * 1#1,5L',
      'At 08:00, on the first Monday of the month and on the last Friday of the month (UTC)',
    ],
    ['0 12 1,* JAN,* 4,*', 'At 12:00, between day 1 and 31 of the month, Sunday through Saturday (UTC)'],
  ])('%j', async (text, words) => {
    expect(await describeSchedule(parseSchedule(text))).toBe(words);
  });
});
