import { ChartFrame } from './chart-frame.tsx';
import { type ChartProps, niceMaximum, otherSeries, withOther } from './chart-math.ts';

const fills = [
  'fill-chart-1',
  'fill-chart-2',
  'fill-chart-3',
  'fill-chart-4',
  'fill-chart-5',
  'fill-chart-6',
];
/** The part of a column that its bar takes. */
const barWidth = 0.7;

/** Stacked bars, one for each category. */
export function BarChart(props: ChartProps) {
  const { categories, format } = props;
  const series = withOther(props.series);
  const totals = categories.map((_, index) =>
    series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
  );
  const maximum = niceMaximum(Math.max(0, ...totals));
  const column = 100 / categories.length;
  return (
    <ChartFrame
      {...props}
      series={series}
      maximum={maximum}
      totalOf={(index) => (series.length > 1 ? `${format(totals[index] ?? 0)} in all ·` : undefined)}
    >
      {categories.map((category, index) => {
        let below = 0;
        return series.map(({ id, values }, position) => {
          const height = ((values[index] ?? 0) / maximum) * 100;
          if (height === 0) return null;
          below += height;
          return (
            <rect
              key={`${category} ${id}`}
              x={(index + (1 - barWidth) / 2) * column}
              y={100 - below}
              width={column * barWidth}
              height={height}
              className={id === otherSeries ? 'fill-ink-3' : fills[position]}
            />
          );
        });
      })}
    </ChartFrame>
  );
}
