export interface TimeZone {
  /** As it was written. */
  name: string;
  /** How far local time is ahead of UTC at an instant, in milliseconds. */
  offsetAt(instant: number): number;
}

const offsetPattern = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** By its name in the time zone database, as in `Europe/Berlin`; undefined when there is no such zone. */
export function findTimeZone(name: string): TimeZone | undefined {
  // Offsets such as +02:00 are not places: they do not follow daylight saving time.
  if (!/^[A-Za-z]/.test(name)) return undefined;
  const format = openFormat(name);
  return format && { name, offsetAt: (instant) => readOffset(format.format(instant)) };
}

function openFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
}

/** The end of `3/29/2026, GMT+02:00`; UTC itself is a bare `GMT`. */
function readOffset(text: string): number {
  const [, sign, hours = 0, minutes = 0, seconds = 0] = offsetPattern.exec(text) ?? [];
  const amount = Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1_000;
  return sign === '-' ? -amount : amount;
}
