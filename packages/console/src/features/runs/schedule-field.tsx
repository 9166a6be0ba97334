import { ApiError } from '@svc/client/api-error';
import { CalendarClock } from 'lucide-react';
import { useId, useState } from 'react';
import { schedulePreviewQuery } from '../../api/runs.ts';
import { useDebounced } from '../../app/use-debounced.ts';
import { useRead } from '../../app/workspace.tsx';
import { Button } from '../../kit/buttons.tsx';
import { classes } from '../../kit/classes.ts';
import { fieldClasses, inputClasses, TextField } from '../../kit/fields.tsx';
import { TimeAgo } from '../../kit/labels.tsx';
import { Bar, InlineError, Loading } from '../../kit/placeholders.tsx';
import {
  joinSchedule,
  ownTimeZone,
  pastedSchedule,
  scheduleExamples,
  splitSchedule,
  timeIn,
  timeZones,
} from './schedule-text.ts';

interface ScheduleFieldProps {
  /** As the service stores it: five cron fields, `TZ=Area/City` before them where it is not UTC. Empty or null: none. */
  value: string | null;
  onChange: (value: string) => void;
  /** What the service said about it when it was saved. */
  error?: string | undefined;
  isReadOnly?: boolean;
}

/** A schedule, with what it means and when it fires next while it is typed. */
export function ScheduleField({ value, onChange, error, isReadOnly = false }: ScheduleFieldProps) {
  const text = value ?? '';
  const { cron, zone } = splitSchedule(text);
  const [chosenZone, setChosenZone] = useState(ownTimeZone);
  // Where there is no schedule yet, nothing holds the time zone but this field.
  const shownZone = cron.trim() === '' ? chosenZone : (zone ?? 'UTC');
  const previewError = usePreviewError(text);

  function change(part: { cron?: string; zone?: string }): void {
    const next = {
      cron,
      zone: shownZone,
      ...part,
      ...(part.cron !== undefined && pastedSchedule(part.cron)),
    };
    // A schedule that is cleared and written again stays in its time zone.
    setChosenZone(next.zone);
    onChange(joinSchedule(next));
  }

  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-[1fr_16rem]">
        <TextField
          label="Schedule"
          value={cron}
          onChange={(next) => change({ cron: next })}
          placeholder="0 9 * * 1-5"
          isCode
          isReadOnly={isReadOnly}
          spellCheck="false"
          autoComplete="off"
          error={previewError ?? error}
          description="Minute, hour, day of the month, month, day of the week. Empty: it runs only when started."
        />
        <TimeZoneField
          value={shownZone}
          onChange={(next) => change({ zone: next })}
          isReadOnly={isReadOnly}
        />
      </div>
      {!isReadOnly && (cron.trim() === '' || previewError !== undefined) && (
        <div className="flex flex-wrap gap-2">
          {scheduleExamples.map((example) => (
            <Button key={example.cron} size="small" onPress={() => change({ cron: example.cron })}>
              {example.label}
            </Button>
          ))}
        </div>
      )}
      <SchedulePreviewPanel schedule={text} />
    </div>
  );
}

interface TimeZoneFieldProps {
  value: string;
  onChange: (zone: string) => void;
  isReadOnly?: boolean;
}

/** The browser's own list: with 400 entries it is the fastest to search, by keyboard and on phones. */
export function TimeZoneField({ value, onChange, isReadOnly = false }: TimeZoneFieldProps) {
  const id = useId();
  const own = ownTimeZone();
  return (
    <div className={fieldClasses}>
      <label htmlFor={id} className="font-medium text-ink text-sm">
        Time zone
      </label>
      <select
        id={id}
        value={value}
        disabled={isReadOnly}
        onChange={(event) => onChange(event.target.value)}
        className={classes(
          inputClasses,
          'h-8 disabled:border-line disabled:bg-sunken disabled:opacity-100 pointer-coarse:h-11',
        )}
      >
        {timeZones(value).map((name) => (
          <option key={name} value={name}>
            {name === own ? `${name} (yours)` : name}
          </option>
        ))}
      </select>
    </div>
  );
}

function usePreview(schedule: string) {
  return useRead(schedulePreviewQuery, useDebounced(schedule));
}

/** What is wrong with a schedule, once nothing more is typed. */
function usePreviewError(schedule: string): string | undefined {
  const { error } = usePreview(schedule);
  if (schedule.trim() === '' || !(error instanceof ApiError)) return undefined;
  const message = error.at('schedule');
  return message && `The schedule ${message}.`;
}

/** A schedule in words, and when it fires next, in its own time zone and in the reader's. */
function SchedulePreviewPanel({ schedule }: { schedule: string }) {
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
