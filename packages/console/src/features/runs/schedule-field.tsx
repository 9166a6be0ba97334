import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { TextField } from '../../kit/text-field.tsx';
import { SchedulePreviewPanel, usePreviewError } from './schedule-preview.tsx';
import {
  joinSchedule,
  ownTimeZone,
  pastedSchedule,
  scheduleExamples,
  splitSchedule,
} from './schedule-text.ts';
import { TimeZoneField } from './time-zone-field.tsx';

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
