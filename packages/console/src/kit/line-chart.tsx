import { ChartFrame } from './chart-frame.tsx';
import { type ChartProps, linePaths, niceMaximum, share } from './chart-math.ts';

const strokes = [
  'stroke-chart-1',
  'stroke-chart-2',
  'stroke-chart-3',
  'stroke-chart-4',
  'stroke-chart-5',
  'stroke-chart-6',
];

interface LineChartProps extends ChartProps {
  maximum?: number;
  /** A level that means something, drawn across the chart. */
  threshold?: { value: number; label: string };
}

export function LineChart({ maximum: given, threshold, ...props }: LineChartProps) {
  const { series } = props;
  const known = series.flatMap(({ values }) => values.filter((value) => value !== null));
  const maximum = given ?? niceMaximum(Math.max(0, ...known));
  const level = threshold && 100 - share(threshold.value, 0, maximum) * 100;
  return (
    <ChartFrame
      {...props}
      isLine
      maximum={maximum}
      overlay={
        threshold && (
          <span
            aria-hidden
            className="absolute right-0 -translate-y-full bg-surface/80 px-1 text-danger-ink text-xs"
            style={{ top: `${level}%` }}
          >
            {threshold.label}
          </span>
        )
      }
    >
      {level !== undefined && (
        <line
          x1="0"
          x2="100"
          y1={level}
          y2={level}
          className="stroke-danger"
          strokeDasharray="4 4"
          vectorEffect="non-scaling-stroke"
        />
      )}
      {series.map(({ id, values }, index) =>
        linePaths(values, 0, maximum).map((path) => (
          <path
            key={`${id} ${path}`}
            d={path}
            fill="none"
            strokeWidth={path.includes('h') ? 7 : 2}
            strokeLinecap="round"
            strokeLinejoin="round"
            vectorEffect="non-scaling-stroke"
            className={strokes[index % strokes.length]}
          />
        )),
      )}
    </ChartFrame>
  );
}
