import type { OfficeHours } from '@svc/contract/widgets';
import { useState } from 'react';
import { Select, Switch, TextAreaField, TextField } from '../../kit/fields.tsx';
import { TimeZoneField } from '../runs/schedule-field.tsx';
import { ownTimeZone } from '../runs/schedule-text.ts';
import type { CustomizationFieldsProps } from './look-fields.tsx';
import { dayNames, readTimes, timesText } from './opening-times.ts';

type Day = keyof typeof dayNames;

const days = Object.keys(dayNames) as Day[];
const workdays = days.slice(0, 5);

const questions = [
  { value: 'never', label: 'Never' },
  { value: 'before_chat', label: 'Before the first message' },
  { value: 'outside_hours', label: 'Before the first message, outside office hours' },
] as const;

/** What visitors are asked and can send, and when people of the team are there for them. */
export function VisitorFields({ value, onChange, at, isReadOnly }: CustomizationFieldsProps) {
  const { ask_details: asks, office_hours: hours } = value;
  return (
    <>
      <Select
        label="Ask for name and email"
        value={asks}
        options={questions}
        isDisabled={isReadOnly}
        onChange={(chosen) => onChange({ ask_details: chosen })}
        description={
          asks === 'outside_hours' && hours === null
            ? 'Without office hours, nobody is asked.'
            : 'Visitors can leave both empty. The preview asks once it is saved.'
        }
        error={at('ask_details')}
      />
      <Switch
        label="Let visitors send files"
        description="Images and PDFs, each of up to 5 MB. Models that see images are shown them, and all models get the text of PDFs."
        isOn={value.attachments_enabled}
        isDisabled={isReadOnly}
        onChange={(isOn) => onChange({ attachments_enabled: isOn })}
      />
      <Switch
        label="Let visitors talk to the bot"
        description="A microphone beside the field, where speech is set up for the bot. The preview shows it once it is saved."
        isOn={value.voice_enabled}
        isDisabled={isReadOnly}
        onChange={(isOn) => onChange({ voice_enabled: isOn })}
      />
      <Switch
        label="Office hours"
        description="Outside of them, visitors read that nobody is there. The bot answers at any time."
        isOn={hours !== null}
        isDisabled={isReadOnly}
        onChange={(isOn) => onChange({ office_hours: isOn ? usualHours() : null })}
      />
      {hours && (
        <WeekFields
          hours={hours}
          onChange={(change) => onChange({ office_hours: { ...hours, ...change } })}
          at={at}
          isReadOnly={isReadOnly}
        />
      )}
    </>
  );
}

function usualHours(): OfficeHours {
  return {
    time_zone: ownTimeZone(),
    opening_times: workdays.map((day) => ({ day, opens: '09:00', closes: '17:00' })),
    closed_text: 'We are not here right now. Leave a message, and we will answer when we are back.',
  };
}

interface WeekFieldsProps extends Pick<CustomizationFieldsProps, 'at' | 'isReadOnly'> {
  hours: OfficeHours;
  onChange: (change: Partial<OfficeHours>) => void;
}

function WeekFields({ hours, onChange, at, isReadOnly }: WeekFieldsProps) {
  const { opening_times: times, time_zone: zone, closed_text: text } = hours;
  const ofDay = (day: Day) => times.filter((time) => time.day === day);
  const problemOf = (day: Day) =>
    times.map((time, index) => time.day === day && at(`office_hours.opening_times.${index}`)).find(Boolean) ||
    undefined;
  const problem = days.some(problemOf) ? undefined : at('office_hours.opening_times');
  return (
    <fieldset className="flex flex-col gap-3 border-line border-l-2 pl-4">
      <legend className="sr-only">Office hours</legend>
      <TimeZoneField
        value={zone}
        onChange={(name) => onChange({ time_zone: name })}
        isReadOnly={isReadOnly}
      />
      <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
        {days.map((day) => (
          <DayField
            key={day}
            day={day}
            text={timesText(ofDay(day))}
            error={problemOf(day)}
            isReadOnly={isReadOnly}
            onChange={(typed) =>
              onChange({
                opening_times: days.flatMap((each) => (each === day ? readTimes(day, typed) : ofDay(each))),
              })
            }
          />
        ))}
      </div>
      <p className={problem ? 'text-danger-ink text-sm' : 'text-ink-3 text-sm'} role={problem && 'alert'}>
        {problem ?? 'Such as 9–12, 13–17:30. Leave a day empty on which nobody is there.'}
      </p>
      <TextAreaField
        label="Text outside of these times"
        minRows={2}
        maxLength={300}
        isReadOnly={isReadOnly}
        value={text}
        onChange={(closedText) => onChange({ closed_text: closedText })}
        error={at('office_hours.closed_text') ?? at('office_hours.time_zone')}
      />
    </fieldset>
  );
}

interface DayFieldProps {
  day: Day;
  /** As it is stored. */
  text: string;
  error: string | undefined;
  isReadOnly: boolean;
  onChange: (typed: string) => void;
}

/** Shows what is being typed as long as it means what is stored. */
function DayField({ day, text, error, isReadOnly, onChange }: DayFieldProps) {
  const [typed, setTyped] = useState(text);
  const shown = timesText(readTimes(day, typed)) === text ? typed : text;
  return (
    <TextField
      label={dayNames[day]}
      placeholder="closed"
      isReadOnly={isReadOnly}
      value={shown}
      error={error}
      onBlur={() => setTyped(text)}
      onChange={(next) => {
        setTyped(next);
        onChange(next);
      }}
    />
  );
}
