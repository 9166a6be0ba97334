import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { agentsQuery, runCalendarQuery } from '../../api/runs.ts';
import { useGo, useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { addMonths, dateOf, isMonth, monthName, monthOf } from '../../format/month.ts';
import { serverNow } from '../../format/server-time.ts';
import { Button, IconButton } from '../../kit/buttons.tsx';
import { Select } from '../../kit/fields.tsx';
import { Page } from '../../kit/page.tsx';
import { Bar, LoadError, Loading } from '../../kit/placeholders.tsx';
import { CalendarDayDetail } from './calendar-day.tsx';
import { CalendarGrid } from './calendar-grid.tsx';
import { ownTimeZone } from './schedule-text.ts';

const everyAgent = 'any';

/** What ran in a month, and what is planned. */
export function RunCalendarPage() {
  const { api } = useWorkspace();
  const go = useGo();
  const [search, setSearch] = useSearchState();
  const now = new Date(serverNow());
  const month = isMonth(search['month']) ? search['month'] : monthOf(now);
  const { bot, day: selected } = search;
  const agents = useQuery(agentsQuery(api));
  const query = { month, time_zone: ownTimeZone(), ...(bot !== undefined && { bot_id: bot }) };
  const calendar = useQuery(runCalendarQuery(api, query));
  const turn = (months: number) => setSearch({ month: addMonths(month, months), day: undefined });
  const day = calendar.data?.days.find(({ date }) => date === selected);
  return (
    <Page
      title={monthName(month)}
      actions={
        <>
          <Select
            label="Autonomous agent"
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
