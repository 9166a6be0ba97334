import type { Clock } from '../../lib/clock.ts';
import { compileCheck } from '../../validation/checker.ts';
import { emptyConfiguration, onlyFunction } from '../define-function.ts';
import { failed, succeeded } from '../tool-result.ts';
import type { ToolType } from '../tool-type.ts';

const parameters = {
  type: 'object',
  properties: {
    time_zone: {
      type: 'string',
      maxLength: 100,
      description: 'An IANA time zone such as Europe/Berlin; UTC when left out.',
    },
  },
  additionalProperties: false,
};
const check = compileCheck<{ time_zone?: string }>(parameters);

export function createCurrentTime({ clock }: { clock: Clock }): ToolType {
  return {
    type: 'current_time',
    name: 'Current time',
    description: 'Tells the date, the weekday and the time in any time zone.',
    configurationSchema: emptyConfiguration,
    readOnly: true,
    asks: () => ({}),
    isPure: true,
    needsNoConfiguration: true,
    presets: [],
    functions: onlyFunction({
      parameters,
      check,
      run({ time_zone: timeZone = 'UTC' }) {
        if (!isTimeZone(timeZone)) {
          return failed(`"${timeZone}" is not an IANA time zone; give one such as Europe/Berlin.`);
        }
        const time = tellTime(clock.now(), timeZone);
        return succeeded(`${time.readable} (${time.iso}, ${timeZone})`, time);
      },
    }),
  };
}

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

function tellTime(moment: Date, timeZone: string) {
  const numbers = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
  const format = new Intl.DateTimeFormat('en-GB', {
    ...numbers,
    ...time,
    timeZone,
    timeZoneName: 'longOffset',
  });
  const parts = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, value]));
  const offset = (parts['timeZoneName'] ?? '').replace('GMT', '') || '+00:00';
  const clockTime = `${parts['hour']}:${parts['minute']}:${parts['second']}`;
  return {
    iso: `${parts['year']}-${parts['month']}-${parts['day']}T${clockTime}${offset}`,
    time_zone: timeZone,
    weekday: new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'long' }).format(moment),
    readable: new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'short' }).format(
      moment,
    ),
  };
}
