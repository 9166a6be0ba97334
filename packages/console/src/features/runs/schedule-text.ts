/** A schedule as the service stores it, in its two parts. */
export interface ScheduleParts {
  /** Five cron fields. */
  cron: string;
  /** Undefined where the schedule names none: then it is UTC. */
  zone: string | undefined;
}

export function splitSchedule(text: string): ScheduleParts {
  const match = /^\s*TZ=(\S*)\s?(.*)$/s.exec(text);
  return match ? { cron: match[2] ?? '', zone: match[1] ?? '' } : { cron: text, zone: undefined };
}

/** A whole schedule that was pasted where the cron fields are; undefined while something else is typed. */
export function pastedSchedule(text: string): { cron: string; zone: string } | undefined {
  const [, zone, cron] = /^\s*TZ=(\S+)\s+(\S.*)$/s.exec(text) ?? [];
  return zone && cron ? { cron, zone } : undefined;
}

/** Empty without cron fields: an agent without a schedule. */
export function joinSchedule({ cron, zone }: ScheduleParts): string {
  if (cron.trim() === '') return '';
  return zone === undefined || zone === 'UTC' ? cron : `TZ=${zone} ${cron}`;
}

/** The time zone of the person who reads this. */
export function ownTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** All time zones, the reader's own and the given one first. */
export function timeZones(current: string): string[] {
  const first = [...new Set([current, ownTimeZone(), 'UTC'])];
  return [...first, ...Intl.supportedValuesOf('timeZone').filter((name) => !first.includes(name))];
}

/** A moment as a clock in a time zone shows it: `Tue 17 Nov, 09:00`. */
export function timeIn(zone: string, moment: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
  return format.format(new Date(moment));
}

export const scheduleExamples: readonly { label: string; cron: string }[] = [
  { label: 'Every hour', cron: '0 * * * *' },
  { label: 'Every day at 09:00', cron: '0 9 * * *' },
  { label: 'Weekdays at 09:00', cron: '0 9 * * 1-5' },
  { label: 'Mondays at 09:00', cron: '0 9 * * 1' },
  { label: 'First of the month', cron: '0 9 1 * *' },
];
