import type { CalendarEntry, RunCalendar } from '@svc/contract/run-history';
import type { State } from '../../kit/state-badge.tsx';

export type CalendarDay = RunCalendar['days'][number];

const counted: { name: keyof CalendarEntry['counts']; state: State; one: string }[] = [
  { name: 'failed', state: 'danger', one: 'failed' },
  { name: 'open', state: 'running', one: 'running' },
  { name: 'completed', state: 'success', one: 'completed' },
  { name: 'skipped', state: 'info', one: 'skipped' },
  { name: 'planned', state: 'idle', one: 'planned' },
];

/** What a day has of an agent, what matters most first. */
export function partsOf({ counts }: CalendarEntry): { state: State; count: number; text: string }[] {
  return counted
    .filter(({ name }) => counts[name] > 0)
    .map(({ name, state, one }) => ({ state, count: counts[name], text: one }));
}

/** A day in words: `Restocker: 1 completed, 2 planned`. */
export function describeDay({ entries }: CalendarDay): string {
  if (entries.length === 0) return 'nothing';
  return entries
    .map((entry) => {
      const parts = partsOf(entry).map(({ count, text }) => `${count} ${text}`);
      return `${entry.bot_name}: ${parts.join(', ')}`;
    })
    .join('; ');
}
