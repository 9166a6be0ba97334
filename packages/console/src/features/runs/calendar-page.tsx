import type { CalendarEntry, RunCalendar } from '@svc/contract/run-history';
import { ChevronLeft, ChevronRight, Clock } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { agentsQuery, runCalendarQuery } from '../../api/runs.ts';
import { PageLink, useGo, useRead, useSearchState } from '../../app/workspace.tsx';
import {
  addMonths,
  dateOf,
  dayMoves,
  dayName,
  isMonth,
  monthName,
  monthOf,
  weekdays,
  weeksOf,
} from '../../format/month.ts';
import { plural } from '../../format/numbers.ts';
import { serverNow } from '../../format/server-time.ts';
import { clockTime } from '../../format/time.ts';
import { Button, IconButton } from '../../kit/buttons.tsx';
import { classes } from '../../kit/classes.ts';
import { Select } from '../../kit/fields.tsx';
import { type State, StateBadge, StateIcon } from '../../kit/labels.tsx';
import { Page } from '../../kit/page.tsx';
import { Bar, LoadError, Loading } from '../../kit/placeholders.tsx';
import { runStates } from './run-states.ts';
import { ownTimeZone } from './schedule-text.ts';

const everyAgent = 'any';

/** What ran in a month, and what is planned. */
export function RunCalendarPage() {
  const go = useGo();
  const [search, setSearch] = useSearchState();
  const now = new Date(serverNow());
  const month = isMonth(search['month']) ? search['month'] : monthOf(now);
  const { bot, day: selected } = search;
  const agents = useRead(agentsQuery);
  const query = { month, time_zone: ownTimeZone(), ...(bot !== undefined && { bot_id: bot }) };
  const calendar = useRead(runCalendarQuery, query);
  const turn = (months: number) => setSearch({ month: addMonths(month, months), day: undefined });
  const day = calendar.data?.days.find(({ date }) => date === selected);
  return (
    <Page
      title={monthName(month)}
      actions={
        <>
          <Select
            label="Autonomous Agent"
            hideLabel
            className="w-44 max-sm:min-w-36 max-sm:flex-1"
            options={[
              { value: everyAgent, label: 'Every agent' },
              ...(agents.data ?? []).map(({ bot_id, name }) => ({ value: bot_id, label: name })),
            ]}
            value={bot ?? everyAgent}
            onChange={(id) => setSearch({ bot: id === everyAgent ? undefined : id })}
          />
          <Button onPress={() => go('/runs', { bot })}>List</Button>
          <span className="flex items-center gap-2">
            <IconButton label="Previous month" icon={<ChevronLeft aria-hidden />} onPress={() => turn(-1)} />
            <Button onPress={() => setSearch({ month: undefined, day: dateOf(now) })}>Today</Button>
            <IconButton label="Next month" icon={<ChevronRight aria-hidden />} onPress={() => turn(1)} />
          </span>
        </>
      }
    >
      {calendar.isError && <LoadError query={calendar} />}
      {calendar.isPending && <CalendarLoading />}
      {calendar.data && (
        <>
          <div className="max-md:hidden">
            <CalendarGrid
              title={`Runs in ${monthName(month)}`}
              days={calendar.data.days}
              today={dateOf(now)}
              selected={selected}
              onSelect={(date) => setSearch({ day: date })}
              onTurn={turn}
            />
            {day && (
              <div className="max-w-3xl px-4 py-5 md:px-6">
                <CalendarDayDetail day={day} />
              </div>
            )}
          </div>
          <div className="flex flex-col gap-6 p-4 md:hidden">
            {calendar.data.days
              .filter(({ entries }) => entries.length > 0)
              .map((one) => (
                <CalendarDayDetail key={one.date} day={one} />
              ))}
            {calendar.data.days.every(({ entries }) => entries.length === 0) && (
              <p className="text-ink-2">Nothing ran in this month, and nothing is planned.</p>
            )}
          </div>
          {calendar.data.truncated && (
            <p className="px-4 pb-4 text-ink-3 text-sm md:px-6">
              There is more in this month than a calendar can show: the oldest runs are left out, and what is
              planned for some of the agents. Choose one agent to see all of it.
            </p>
          )}
        </>
      )}
    </Page>
  );
}

function CalendarLoading() {
  return (
    <Loading label="Reading the calendar">
      <div className="grid grid-cols-7 gap-px p-4 max-md:grid-cols-1">
        {Array.from({ length: 35 }, (_, cell) => (
          <Bar key={cell} className="h-28 max-md:h-9" />
        ))}
      </div>
    </Loading>
  );
}

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
function CalendarGrid({ title, days, today, selected, onSelect, onTurn }: CalendarGridProps) {
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

type Entry = CalendarDay['entries'][number];

/** A day with everything that happened or is planned, agent by agent. */
function CalendarDayDetail({ day }: { day: CalendarDay }) {
  return (
    <section aria-label={dayName(day.date)} className="flex flex-col gap-3">
      <h2 className="font-semibold">{dayName(day.date)}</h2>
      {day.entries.length === 0 && <p className="text-ink-2">Nothing ran, and nothing is planned.</p>}
      {day.entries.map((entry) => (
        <div key={entry.bot_id} className="flex flex-col gap-1">
          <h3 className="flex flex-wrap items-center gap-x-3 gap-y-1 font-medium">
            {entry.bot_name}
            {partsOf(entry).map(({ state, count, text }) => (
              <StateBadge key={text} state={state} text={`${count} ${text}`} />
            ))}
          </h3>
          <ul className="flex flex-col">
            {entry.items.map((item) => (
              <CalendarItem key={`${item.kind}-${item.at}`} item={item} />
            ))}
          </ul>
          <More entry={entry} />
        </div>
      ))}
    </section>
  );
}

function CalendarItem({ item }: { item: Entry['items'][number] }) {
  const { state, text } = item.status ? runStates[item.status] : { state: 'idle' as const, text: 'Planned' };
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 border-line border-t py-1.5">
      <span className="w-20 shrink-0 whitespace-nowrap">{clockTime(new Date(item.at))}</span>
      {item.conversation_id ? (
        <PageLink path={`/conversations/${item.conversation_id}`} className="hover:underline">
          <StateBadge state={state} text={text} />
        </PageLink>
      ) : (
        <StateBadge state={state} text={text} />
      )}
      {item.reason && (
        <span className="min-w-0 basis-full text-ink-2 text-sm sm:basis-0 sm:grow">{item.reason}</span>
      )}
    </li>
  );
}

function More({ entry }: { entry: Entry }) {
  const all = partsOf(entry).reduce((sum, { count }) => sum + count, 0);
  const more = all - entry.items.length;
  if (more <= 0) return null;
  return <p className="text-ink-3 text-sm">and {plural(more, 'more slot')}</p>;
}

type CalendarDay = RunCalendar['days'][number];

const counted: { name: keyof CalendarEntry['counts']; state: State; one: string }[] = [
  { name: 'failed', state: 'danger', one: 'failed' },
  { name: 'open', state: 'running', one: 'running' },
  { name: 'completed', state: 'success', one: 'completed' },
  { name: 'skipped', state: 'info', one: 'skipped' },
  { name: 'planned', state: 'idle', one: 'planned' },
];

/** What a day has of an agent, what matters most first. */
function partsOf({ counts }: CalendarEntry): { state: State; count: number; text: string }[] {
  return counted
    .filter(({ name }) => counts[name] > 0)
    .map(({ name, state, one }) => ({ state, count: counts[name], text: one }));
}

/** A day in words: `Restocker: 1 completed, 2 planned`. */
function describeDay({ entries }: CalendarDay): string {
  if (entries.length === 0) return 'nothing';
  return entries
    .map((entry) => {
      const parts = partsOf(entry).map(({ count, text }) => `${count} ${text}`);
      return `${entry.bot_name}: ${parts.join(', ')}`;
    })
    .join('; ');
}
