import { Clock } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { dayMoves, dayName, weekdays, weeksOf } from '../../format/month.ts';
import { classes } from '../../kit/classes.ts';
import { StateIcon } from '../../kit/state-badge.tsx';
import { type CalendarDay, describeDay, partsOf } from './calendar-text.ts';

const shownEntries = 3;

interface CalendarGridProps {
  title: string;
  days: readonly CalendarDay[];
  today: string;
  selected: string | undefined;
  onSelect: (date: string) => void;
  /** Page Up and Page Down. */
  onTurn: (months: number) => void;
}

/** A month as a table. Arrow keys move between its days. */
export function CalendarGrid({ title, days, today, selected, onSelect, onTurn }: CalendarGridProps) {
  const table = useRef<HTMLTableElement>(null);
  const focusable = [selected, today].find((date) => days.some((day) => day.date === date)) ?? days[0]?.date;

  const firstDate = days[0]?.date;
  const isTurning = useRef(false);
  useEffect(() => {
    // The day that had the focus is gone with its month.
    if (isTurning.current) table.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
    isTurning.current = false;
  }, [firstDate]);

  function move(event: KeyboardEvent, date: string): void {
    if (event.key === 'PageUp' || event.key === 'PageDown') {
      event.preventDefault();
      isTurning.current = true;
      return onTurn(event.key === 'PageUp' ? -1 : 1);
    }
    const by = dayMoves[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const next = days[days.findIndex((day) => day.date === date) + by];
    if (next) table.current?.querySelector<HTMLElement>(`[data-date="${next.date}"]`)?.focus();
  }

  return (
    <table ref={table} className="w-full table-fixed border-collapse">
      <caption className="sr-only">{title}</caption>
      <thead>
        <tr>
          {weekdays.map((name) => (
            <th
              key={name}
              scope="col"
              className="h-8 bg-sunken px-2 text-left font-medium text-ink-2 text-sm"
            >
              <abbr title={name} className="no-underline">
                {name.slice(0, 3)}
              </abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(days).map((week) => (
          <tr key={week.find(Boolean)?.date ?? ''}>
            {week.map((day, index) => (
              <td
                key={day?.date ?? `outside-${index}`}
                className={classes('h-28 border border-line p-0 align-top', !day && 'bg-sunken/50')}
              >
                {day && (
                  <button
                    type="button"
                    data-date={day.date}
                    tabIndex={day.date === focusable ? 0 : -1}
                    aria-pressed={day.date === selected}
                    aria-current={day.date === today ? 'date' : undefined}
                    onClick={() => onSelect(day.date)}
                    onKeyDown={(event) => move(event, day.date)}
                    className={classes(
                      'flex size-full flex-col gap-1 p-1.5 text-left outline-offset-[-2px] hover:bg-hover',
                      day.date === selected && 'bg-selected',
                    )}
                  >
                    <span className="sr-only">{`${dayName(day.date)}: ${describeDay(day)}`}</span>
                    <DayContent day={day} isToday={day.date === today} />
                  </button>
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function DayContent({ day, isToday }: { day: CalendarDay; isToday: boolean }) {
  const more = day.entries.length - shownEntries;
  return (
    <span aria-hidden className="flex min-w-0 flex-col gap-1">
      <span
        className={classes(
          'flex h-5 min-w-5 items-center justify-center self-start rounded-full text-xs',
          isToday ? 'bg-accent px-1 font-semibold text-on-accent' : 'text-ink-2',
        )}
      >
        {Number(day.date.slice(-2))}
      </span>
      {day.entries.slice(0, shownEntries).map((entry) => (
        <span key={entry.bot_id} className="flex min-w-0 items-center gap-1 text-xs">
          <span className="min-w-0 truncate">{entry.bot_name}</span>
          <span className="ml-auto flex shrink-0 gap-1">
            {partsOf(entry).map(({ state, count, text }) => (
              <span key={text} className="flex items-center text-ink-2">
                {state === 'idle' ? (
                  <Clock aria-hidden className="size-3 text-ink-3" />
                ) : (
                  <StateIcon state={state} className="size-3 animate-none" />
                )}
                {count > 1 && count}
              </span>
            ))}
          </span>
        </span>
      ))}
      {more > 0 && <span className="text-ink-3 text-xs">{more} more</span>}
    </span>
  );
}
