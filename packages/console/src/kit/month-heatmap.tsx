import { plainDay } from '../format/days.ts';
import { classes } from './classes.ts';

interface MonthHeatmapProps {
  label: string;
  /** `2026-11`. */
  month: string;
  /** By day: `2026-11-15`. */
  values: ReadonlyMap<string, number>;
  format: (value: number) => string;
}

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
/** From nothing to the most. */
const shades = ['bg-sunken', 'bg-chart-1/15', 'bg-chart-1/30', 'bg-chart-1/45', 'bg-chart-1'];

/** The days of a month as squares, the darker the more. A real table, so that every day can be read. */
export function MonthHeatmap({ label, month, values, format }: MonthHeatmapProps) {
  const maximum = Math.max(0, ...values.values());
  return (
    <table aria-label={label} className="border-separate border-spacing-0.5 text-xs">
      <thead>
        <tr>
          {weekdays.map((name) => (
            <th key={name} scope="col" className="font-normal text-ink-3">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(month).map((week) => (
          <tr key={week.find((day) => day !== null)}>
            {week.map((day, index) => {
              const value = day === null ? 0 : (values.get(day) ?? 0);
              const shade = value === 0 || maximum === 0 ? 0 : Math.max(1, Math.ceil((value / maximum) * 4));
              if (day === null) return <td key={weekdays[index]} />;
              return (
                <td
                  key={day}
                  title={`${plainDay(day)}: ${format(value)}`}
                  className={classes(
                    'size-8 rounded-sm text-center forced-color-adjust-none',
                    shades[shade],
                    shade === 4 && 'text-on-accent',
                  )}
                >
                  {Number(day.slice(8))}
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

/** The days of a month in weeks that begin on Monday; null outside of the month. */
function weeksOf(month: string): (string | null)[][] {
  const first = new Date(`${month}-01T00:00:00Z`);
  const length = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  const days: (string | null)[] = [
    ...Array<null>((first.getUTCDay() + 6) % 7).fill(null),
    ...Array.from({ length }, (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`),
  ];
  while (days.length % 7 > 0) days.push(null);
  return Array.from({ length: days.length / 7 }, (_, week) => days.slice(week * 7, week * 7 + 7));
}
