import { ApiError } from '@svc/client/api-error';
import { useQuery } from '@tanstack/react-query';
import { CalendarClock } from 'lucide-react';
import { useEffect, useState } from 'react';
import { schedulePreviewQuery } from '../../api/schedules.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { Bar, InlineError, Loading } from '../../kit/placeholders.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { ownTimeZone, timeIn } from './schedule-text.ts';

function usePreview(schedule: string) {
  const { api } = useWorkspace();
  return useQuery(schedulePreviewQuery(api, useDebounced(schedule)));
}

/** What is wrong with a schedule, once nothing more is typed. */
export function usePreviewError(schedule: string): string | undefined {
  const { error } = usePreview(schedule);
  if (schedule.trim() === '' || !(error instanceof ApiError)) return undefined;
  const message = error.at('schedule');
  return message && `The schedule ${message}.`;
}

/** A schedule in words, and when it fires next, in its own time zone and in the reader's. */
export function SchedulePreviewPanel({ schedule }: { schedule: string }) {
  const preview = usePreview(schedule);
  if (schedule.trim() === '') return null;
  if (preview.isError) {
    // A fault of the schedule itself is shown at its field.
    const isFault = preview.error instanceof ApiError && preview.error.at('schedule') !== undefined;
    return isFault ? null : <InlineError error={preview.error} onRetry={() => void preview.refetch()} />;
  }
  if (!preview.data) return <PreviewLoading />;
  const { description, time_zone: zone, next } = preview.data;
  const own = ownTimeZone();
  return (
    <section aria-label="What the schedule means" className="rounded-md bg-sunken px-3 py-2.5">
      <p aria-live="polite" className="flex items-start gap-2 font-medium">
        <CalendarClock aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-3" />
        {description}
      </p>
      <table className="mt-2 w-full text-sm">
        <caption className="sr-only">The next five times</caption>
        <thead className="text-left text-ink-3">
          <tr>
            <th scope="col" className="py-0.5 pr-3 font-normal">
              {zone === own ? `${zone} (yours)` : zone}
            </th>
            {zone !== own && (
              <th scope="col" className="py-0.5 pr-3 font-normal">
                {own} (yours)
              </th>
            )}
            <th scope="col" className="py-0.5 text-right font-normal max-sm:hidden">
              <span className="sr-only">How far away</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {next.map((moment) => (
            <tr key={moment}>
              <td className="py-0.5 pr-3">{timeIn(zone, moment)}</td>
              {zone !== own && <td className="py-0.5 pr-3 text-ink-2">{timeIn(own, moment)}</td>}
              <td className="py-0.5 text-right text-ink-3 max-sm:hidden">
                <TimeAgo at={moment} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function PreviewLoading() {
  return (
    <Loading label="Reading the schedule">
      <div className="flex flex-col gap-2 rounded-md bg-sunken px-3 py-2.5">
        <Bar className="w-2/3 bg-hover" />
        {[0, 1, 2, 3, 4].map((row) => (
          <Bar key={row} className="w-1/3 bg-hover" />
        ))}
      </div>
    </Loading>
  );
}

/** The value as it was when it last stayed the same for a while. */
function useDebounced<Value>(value: Value, milliseconds = 250): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}
