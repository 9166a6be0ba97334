import { useId, useState } from 'react';
import { Button } from '../../kit/buttons.tsx';
import { classes } from '../../kit/classes.ts';
import { fieldClasses, inputClasses, TextField } from '../../kit/fields.tsx';
import { SchedulePreviewPanel, usePreviewError } from './schedule-preview.tsx';
import {
  joinSchedule,
  ownTimeZone,
  pastedSchedule,
  scheduleExamples,
  splitSchedule,
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
      {!isReadOnly && cron.trim() === '' && (
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
function TimeZoneField({ value, onChange, isReadOnly = false }: TimeZoneFieldProps) {
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
