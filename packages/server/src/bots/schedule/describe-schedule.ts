import type { CronFields } from './cron-fields.ts';
import type { Schedule } from './schedule.ts';

const weekdayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const monthNames =
  'January February March April May June July August September October November December'.split(' ');
const ordinals = ['', 'first', 'second', 'third', 'fourth', 'fifth'];
/** More times of a day than this are told as minutes and hours. */
const mostTimes = 6;

/** In plain words: `At 09:00, Monday through Friday (Europe/Berlin)`. */
export function describeSchedule({ fields, zone }: Schedule): string {
  const parts = [timesOf(fields), daysOf(fields), monthsOf(fields)].filter((part) => part !== '');
  return `${parts.join(', ')} (${zone.name})`;
}

function timesOf({ minutes, hours }: CronFields): string {
  const everyHour = hours.length === 24;
  if (!everyHour && minutes.length * hours.length <= mostTimes) {
    return `At ${enumerate(hours.flatMap((hour) => minutes.map((minute) => clock(hour, minute))))}`;
  }
  const hourStep = stepOf(hours, 24);
  if (minutes.length === 1 && hourStep && hourStep > 1)
    return `Every ${hourStep} hours, ${withinHour(minutes)}`;
  const often = minutesOf(minutes);
  if (everyHour) return often;
  const [first = 0, last = 0] = [minutes[0], minutes.at(-1)];
  const spells = runsOf(hours).map(([from, to]) => `from ${clock(from, first)} to ${clock(to, last)}`);
  return `${often}, ${enumerate(spells)}`;
}

function minutesOf(minutes: number[]): string {
  const step = stepOf(minutes, 60);
  if (step === 1) return 'Every minute';
  if (step) return `Every ${step} minutes`;
  return `Every hour, ${withinHour(minutes)}`;
}

function withinHour(minutes: number[]): string {
  if (minutes.length === 1 && minutes[0] === 0) return 'on the hour';
  return `at ${counted('minute', spans(minutes, String))}`;
}

/** The days of the month and of the week: either one will do. */
function daysOf({ minutes, hours, days, weekdays }: CronFields): string {
  if (days.isAny && weekdays.isAny) {
    const isTold = hours.length === 24 || (minutes.length === 1 && stepOf(hours, 24) !== undefined);
    return isTold ? '' : 'every day';
  }
  const parts = [
    ...(weekdays.isAny ? [] : weekdayParts(weekdays)),
    ...(days.isAny ? [] : dayOfMonthParts(days)),
  ];
  return enumerate(parts);
}

function weekdayParts({ numbers, ofMonth }: CronFields['weekdays']): string[] {
  // A week is told from Monday on.
  const fromMonday = numbers.map((number) => (number + 6) % 7).toSorted((one, other) => one - other);
  const plain = spans(fromMonday, (number) => weekdayNames[(number + 1) % 7] ?? '');
  const within = ofMonth.map(({ weekday, nth }) => {
    const which = nth === 'last' ? 'last' : ordinals[nth];
    return `the ${which} ${weekdayNames[weekday]} of the month`;
  });
  if (numbers.length === 7) return ['every day of the week'];
  const isSpell = plain.length === 1 && numbers.length > 1;
  return [...(isSpell || numbers.length === 0 ? plain : [`every ${enumerate(plain)}`]), ...within];
}

function dayOfMonthParts({ numbers, last }: CronFields['days']): string[] {
  const plain = numbers.length > 0 ? [`on ${counted('day', spans(numbers, String))} of the month`] : [];
  return [...plain, ...(last ? ['on the last day of the month'] : [])];
}

function monthsOf({ months }: CronFields): string {
  if (months.length === 12) return '';
  return `in ${enumerate(spans(months, (number) => monthNames[number - 1] ?? ''))}`;
}

/** `day 1`, `days 1 and 15`. */
function counted(noun: string, parts: string[]): string {
  const isOne = parts.length === 1 && /^\d+$/.test(parts[0] ?? '');
  return `${noun}${isOne ? '' : 's'} ${enumerate(parts)}`;
}

/** Neighbours are told together: `1 through 5`, `8`. */
function spans(numbers: number[], tell: (number: number) => string): string[] {
  return runsOf(numbers).flatMap(([from, to]) => {
    if (to - from < 2) return from === to ? [tell(from)] : [tell(from), tell(to)];
    return [`${tell(from)} through ${tell(to)}`];
  });
}

function runsOf(numbers: number[]): [from: number, to: number][] {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run && run[1] === number - 1) run[1] = number;
    else runs.push([number, number]);
  }
  return runs;
}

/** How far apart they are, when they go evenly round from 0. */
function stepOf(numbers: number[], size: number): number | undefined {
  const step = size / numbers.length;
  const isEven = step < size && numbers.every((number, index) => number === index * step);
  return isEven ? step : undefined;
}

function enumerate(parts: string[]): string {
  if (parts.length < 2) return parts.join('');
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

function clock(hour: number, minute: number): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}
