import { invalid } from '../../lib/app-error.ts';

/** Five cron fields as sorted numbers. */
export interface CronFields {
  minutes: number[];
  hours: number[];
  months: number[];
  days: DayOfMonthField;
  weekdays: WeekdayField;
}

export interface DayOfMonthField {
  /** A bare `*`: the other day field alone decides. */
  isAny: boolean;
  numbers: number[];
  /** `L` */
  last: boolean;
}

export interface WeekdayField {
  isAny: boolean;
  /** Sunday is 0. */
  numbers: number[];
  /** `1#2` is the second Monday of a month, `5L` the last Friday. */
  ofMonth: { weekday: number; nth: number | 'last' }[];
}

interface Field {
  name: string;
  min: number;
  max: number;
  /** Names for the numbers, starting at `min`. */
  names: string[];
}

const fields = {
  minute: { name: 'minute', min: 0, max: 59, names: [] },
  hour: { name: 'hour', min: 0, max: 23, names: [] },
  day: { name: 'day of the month', min: 1, max: 31, names: [] },
  month: {
    name: 'month',
    min: 1,
    max: 12,
    names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
  },
  // 7 is Sunday too, so that a week may end with it.
  weekday: {
    name: 'day of the week',
    min: 0,
    max: 7,
    names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
  },
} satisfies Record<string, Field>;

/** Throws VALIDATION_FAILED that names the faulty field. */
export function parseCronFields(texts: readonly string[]): CronFields {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = texts;
  return {
    minutes: parseNumbers(fields.minute, minute.split(',')),
    hours: parseNumbers(fields.hour, hour.split(',')),
    days: parseDays(day),
    months: parseNumbers(fields.month, month.split(',')),
    weekdays: parseWeekdays(weekday),
  };
}

function parseDays(text: string): DayOfMonthField {
  const parts = text.split(',');
  const plain = parts.filter((part) => part.toUpperCase() !== 'L');
  return { isAny: text === '*', numbers: parseNumbers(fields.day, plain), last: plain.length < parts.length };
}

function parseWeekdays(text: string): WeekdayField {
  const plain: string[] = [];
  const ofMonth: WeekdayField['ofMonth'] = [];
  for (const part of text.split(',')) {
    const [, day, nth] = /^(\w+)#([1-5])$/.exec(part) ?? /^(\d|[A-Z]{3})(L)$/i.exec(part) ?? [];
    if (day === undefined) plain.push(part);
    else ofMonth.push({ weekday: parseNumber(fields.weekday, day) % 7, nth: nthOf(nth) });
  }
  const numbers = parseNumbers(fields.weekday, plain).map((number) => number % 7);
  return { isAny: text === '*', numbers: sortedOnce(numbers), ofMonth };
}

function nthOf(text: string | undefined): number | 'last' {
  return text?.toUpperCase() === 'L' ? 'last' : Number(text);
}

function parseNumbers(field: Field, parts: string[]): number[] {
  return sortedOnce(parts.flatMap((part) => parseRange(field, part)));
}

/** `*`, `5`, `1-5`, any of them with a step, as in `*\/15`; `5/15` counts on from 5. */
function parseRange(field: Field, part: string): number[] {
  const [, from = '', to, step] = /^([^-/]+)(?:-([^-/]+))?(?:\/(\d+))?$/.exec(part) ?? [];
  if (from === '') throw wrong(field, part, 'cannot be read');
  const isAll = from === '*';
  if (isAll && to !== undefined) throw wrong(field, part, 'cannot be read');
  const first = isAll ? field.min : parseNumber(field, from);
  const last = lastOf(field, { isAll, first, to, step });
  if (last < first) throw wrong(field, part, 'runs backwards');
  const by = step === undefined ? 1 : Number(step);
  if (by < 1 || by > field.max) throw wrong(field, part, 'steps too far or not at all');
  return Array.from({ length: Math.floor((last - first) / by) + 1 }, (_, index) => first + index * by);
}

function lastOf(
  field: Field,
  {
    isAll,
    first,
    to,
    step,
  }: { isAll: boolean; first: number; to: string | undefined; step: string | undefined },
): number {
  if (to !== undefined) {
    const last = parseNumber(field, to);
    // MON-SUN
    return field === fields.weekday && last === 0 && first > 0 ? 7 : last;
  }
  if (!isAll && step === undefined) return first;
  // The second Sunday is left out, or every other day of the week would include both.
  return field === fields.weekday ? 6 : field.max;
}

function parseNumber(field: Field, text: string): number {
  const index = field.names.indexOf(text.toUpperCase());
  if (index !== -1) return field.min + index;
  const number = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= field.min && number <= field.max))
    throw wrong(field, text, `is not between ${field.min} and ${field.max}`);
  return number;
}

function wrong(field: Field, text: string, fault: string): Error {
  return invalid('schedule', `has "${text}" for the ${field.name}, which ${fault}`);
}

function sortedOnce(numbers: number[]): number[] {
  return [...new Set(numbers)].toSorted((one, other) => one - other);
}
