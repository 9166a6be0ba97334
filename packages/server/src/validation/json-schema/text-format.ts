import { isUuid } from '../is-uuid.ts';

const formats: Record<string, (text: string) => boolean> = {
  date: isDate,
  'date-time': isDateTime,
  time: isTime,
  email: (text) => text.length <= 254 && emailAddress.test(text),
  uuid: isUuid,
  uri: (text) => URL.canParse(text),
};

/** The part before the at sign may be quoted, and then contain spaces and at signs (RFC 5321). */
const emailAddress = /^(?:[^\s@]{1,64}|"(?:[^"\\\r\n]|\\[^\r\n]){1,62}")@[^\s@]+$/;

/** The formats that models fill in. Unknown formats are ignored. */
export function fitsFormat(format: string, text: string): boolean {
  return Object.hasOwn(formats, format) ? (formats[format]?.(text) ?? true) : true;
}

/** `2025-02-30` parses as the 2nd of March, so a date that does not round-trip is invalid. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

const hourAndMinute = '(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d)';
const second = '(?<second>[0-5]\\d|60)(?:\\.\\d+)?';
const offset = '[Zz]|(?<sign>[+-])(?<hours>[01]\\d|2[0-3]):(?<minutes>[0-5]\\d)';
const fullTime = new RegExp(`^${hourAndMinute}:${second}(?:${offset})$`);
/** Models often leave out the seconds and the offset where the standard wants both. */
const shortTime = new RegExp(`^${hourAndMinute}(?::${second})?(?:${offset})?$`);

/** As defined by RFC 3339. */
function isDateTime(text: string): boolean {
  const date = text.slice(0, 10);
  const time = fullTime.exec(text.slice(11))?.groups;
  if (!/^[Tt]$/.test(text.charAt(10)) || !time || !isDate(date)) return false;
  if (time['second'] !== '60') return true;
  // A leap second is the last second of a month, in UTC.
  const next = new Date(Date.parse(date) + (utcMinuteOf(time) + 1) * 60_000);
  return next.getUTCDate() === 1 && next.getUTCHours() === 0 && next.getUTCMinutes() === 0;
}

function isTime(text: string): boolean {
  const time = shortTime.exec(text)?.groups;
  if (!time) return false;
  return time['second'] !== '60' || (utcMinuteOf(time) + 1) % minutesPerDay === 0;
}

const minutesPerDay = 24 * 60;

/** Minutes since midnight in UTC. */
function utcMinuteOf({
  hour,
  minute,
  sign,
  hours = 0,
  minutes = 0,
}: Record<string, string | number>): number {
  const ahead = Number(hours) * 60 + Number(minutes);
  return Number(hour) * 60 + Number(minute) - (sign === '-' ? -ahead : ahead);
}
