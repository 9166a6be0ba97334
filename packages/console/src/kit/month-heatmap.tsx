import { addDays, daysBetween, plainDay } from '../format/days.ts';
import { addMonths, weekdays, weeksOf } from '../format/month.ts';
import { classes } from './classes.ts';

interface MonthHeatmapProps {
  label: string;
  /** `2026-11`. */
  month: string;
  /** By day: `2026-11-15`. */
  values: ReadonlyMap<string, number>;
  format: (value: number) => string;
}

/** From nothing to the most. */
const shades = ['bg-sunken', 'bg-chart-1/15', 'bg-chart-1/30', 'bg-chart-1/45', 'bg-chart-1'];

/** The days of a month as squares, the darker the more. A real table, so that every day can be read. */
export function MonthHeatmap({ label, month, values, format }: MonthHeatmapProps) {
  const maximum = Math.max(0, ...values.values());
  const last = addDays(`${addMonths(month, 1)}-01`, -1);
  const weeks = weeksOf(daysBetween(`${month}-01`, last).map((date) => ({ date })));
  return (
    <table aria-label={label} className="border-separate border-spacing-0.5 text-xs">
      <thead>
        <tr>
          {weekdays.map((name) => (
            <th key={name} scope="col" className="font-normal text-ink-3">
              {name.slice(0, 3)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week.find((day) => day !== undefined)?.date}>
            {week.map((day, index) => {
              if (day === undefined) return <td key={weekdays[index]} />;
              const value = values.get(day.date) ?? 0;
              const shade = value === 0 ? 0 : Math.max(1, Math.ceil((value / maximum) * 4));
              return (
                <td
                  key={day.date}
                  title={`${plainDay(day.date)}: ${format(value)}`}
                  className={classes(
                    'size-8 rounded-sm text-center forced-color-adjust-none',
                    shades[shade],
                    shade === 4 && 'text-on-accent',
                  )}
                >
                  {Number(day.date.slice(8))}
                  <span className="sr-only">: {format(value)}</span>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
