import { useId } from 'react';
import { classes } from '../../kit/classes.ts';
import { fieldClasses, inputClasses } from '../../kit/field-parts.tsx';
import { ownTimeZone, timeZones } from './schedule-text.ts';

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
