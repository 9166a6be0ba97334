import type { OfficeHours, Weekday } from '@svc/contract/widgets';

type OpeningTime = OfficeHours['opening_times'][number];

/** In the order of the week, each with its name. */
export const dayNames = {
  monday: 'Monday',
  tuesday: 'Tuesday',
  wednesday: 'Wednesday',
  thursday: 'Thursday',
  friday: 'Friday',
  saturday: 'Saturday',
  sunday: 'Sunday',
} as const satisfies Record<Weekday, string>;

/** Such as `09:00–12:00, 13:00–17:30`. */
export function timesText(times: readonly OpeningTime[]): string {
  return times.map(({ opens, closes }) => (closes ? `${opens}–${closes}` : opens)).join(', ');
}

/** What people type for a day: `9-17`, `9:00 – 12:30, 14-18`. What is not a time is left to the service to refuse, by its name. */
export function readTimes(day: Weekday, text: string): OpeningTime[] {
  const spans = text.split(/[,;]/).filter((span) => span.trim());
  return spans.map((span) => {
    const [opens = '', closes = ''] = span.split(/[-–—]/).map(readTime);
    return { day, opens, closes };
  });
}

/** `9` and `9:5` as the service writes them. */
function readTime(text: string): string {
  const [, hours, minutes = '00'] = /^(\d{1,2})(?:[:.](\d{1,2}))?$/.exec(text.trim()) ?? [];
  if (hours === undefined) return text.trim();
  return `${hours.padStart(2, '0')}:${minutes.padStart(2, '0')}`;
}
