import { expect, it } from 'vitest';
import { readTimes, timesText } from './opening-times.ts';

it.each([
  ['9-17', '09:00–17:00'],
  [' 09:00 – 12:30, 14.15—24 ', '09:00–12:30, 14:15–24:00'],
  ['', ''],
  [' , ', ''],
])('reads %j as %j', (typed, text) => {
  const times = readTimes('monday', typed);
  expect(timesText(times)).toBe(text);
  expect(readTimes('monday', text)).toEqual(times);
});

it('leaves what is not a time as it was typed', () => {
  expect(readTimes('sunday', 'morning')).toEqual([{ day: 'sunday', opens: 'morning', closes: '' }]);
  expect(timesText(readTimes('sunday', 'morning, 9'))).toBe('morning, 09:00');
  expect(readTimes('sunday', '9-noon')).toEqual([{ day: 'sunday', opens: '09:00', closes: 'noon' }]);
});
