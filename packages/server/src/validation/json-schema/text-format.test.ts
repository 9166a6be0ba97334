import { expect, it } from 'vitest';
import { fitsFormat } from './text-format.ts';

it.each([
  ['date-time', '2020-02-29T23:59:59Z'],
  ['date-time', '2020-01-01t00:00:00.123456789012z'],
  ['date-time', '2020-01-01T12:00:00+23:59'],
  ['date-time', '1998-12-31T23:59:60Z'],
  ['date-time', '1998-12-31T23:59:60.5Z'],
  ['date-time', '1998-12-31T15:59:60-08:00'],
  ['date-time', '1999-01-01T08:59:60+09:00'],
  ['date-time', '2012-06-30T23:59:60Z'],
  ['time', '14:30'],
  ['time', '23:59:59.5-08:00'],
  ['time', '23:59:60'],
  ['time', '23:59:60Z'],
  ['time', '15:59:60-08:00'],
  ['time', '00:29:60+00:30'],
  ['date', '2024-02-29'],
])('%s: %s', (format, text) => expect(fitsFormat(format, text)).toBe(true));

it.each([
  ['date-time', '2020-01-01T24:00:00Z'],
  ['date-time', '2020-01-01T12:60:00Z'],
  ['date-time', '2020-01-01T12:00:61Z'],
  ['date-time', '2020-01-01T12:00:00+24:00'],
  ['date-time', '2020-01-01T12:00:00+01:60'],
  ['date-time', '2020-01-01T12:00:00'],
  ['date-time', '2020-01-01T12:00Z'],
  ['date-time', '2021-02-29T12:00:00Z'],
  ['date-time', '1998-12-31T22:59:60Z'],
  ['date-time', '1998-12-31T23:58:60Z'],
  ['date-time', '1998-12-31T23:59:60-08:00'],
  ['date-time', '1998-12-30T23:59:60Z'],
  ['time', '24:00:00Z'],
  ['time', '12:00:60Z'],
  ['time', '23:59:60-08:00'],
  ['time', '12:00:00+99:99'],
  ['date', '2023-02-29'],
])('not %s: %s', (format, text) => expect(fitsFormat(format, text)).toBe(false));
