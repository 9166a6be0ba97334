import { PageLink } from '../../app/workspace.tsx';
import { dayName } from '../../format/month.ts';
import { plural } from '../../format/numbers.ts';
import { clockTime } from '../../format/time.ts';
import { StateBadge } from '../../kit/state-badge.tsx';
import { type CalendarDay, partsOf } from './calendar-text.ts';
import { runStates } from './run-states.ts';

type Entry = CalendarDay['entries'][number];

/** A day with everything that happened or is planned, agent by agent. */
export function CalendarDayDetail({ day }: { day: CalendarDay }) {
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
