import { type ReactNode, useId, useState } from 'react';
import { Button } from './buttons.tsx';
import { type ChartProps, labelIndexes, lineX, otherSeries, type Series } from './chart-math.ts';
import { classes } from './classes.ts';

const fills = ['bg-chart-1', 'bg-chart-2', 'bg-chart-3', 'bg-chart-4', 'bg-chart-5', 'bg-chart-6'] as const;

interface ChartFrameProps extends ChartProps {
  maximum: number;
  /** What the readout adds, such as the total of a bar. */
  totalOf?: (index: number) => string | undefined;
  /** Shapes in a box of 100 by 100, stretched to the size of the chart. */
  children: ReactNode;
  /** Labels above the shapes. */
  overlay?: ReactNode;
  /** Points lie on the edges instead of in columns. */
  isLine?: boolean;
}

/** What all charts have: axis, legend, the values under the pointer, and the same numbers as a table. */
export function ChartFrame(props: ChartFrameProps) {
  const { label, categories, series, format, maximum, totalOf, overlay, isLine = false } = props;
  const { nameCategory = (category) => category, children } = props;
  const [pointed, setPointed] = useState<number>();
  const [isTable, setTable] = useState(false);
  const tableId = useId();
  const marks = [maximum, maximum / 2, 0];

  function point({ currentTarget, clientX }: React.PointerEvent): void {
    const { left, width } = currentTarget.getBoundingClientRect();
    const position = (clientX - left) / width;
    const index = isLine
      ? Math.round(position * (categories.length - 1))
      : Math.floor(position * categories.length);
    setPointed(Math.min(categories.length - 1, Math.max(0, index)));
  }

  return (
    <figure className="flex min-w-0 flex-col gap-2">
      <figcaption className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <span className="font-medium">{label}</span>
        <Button
          size="small"
          look="quiet"
          aria-expanded={isTable}
          aria-controls={tableId}
          onPress={() => setTable(!isTable)}
        >
          {isTable ? 'Show as chart' : 'Show as table'}
        </Button>
      </figcaption>
      <div id={tableId}>
        {isTable ? (
          <ChartTable {...props} nameCategory={nameCategory} />
        ) : (
          <>
            <Legend series={series} />
            <p aria-hidden className="min-h-5 truncate text-ink-2 text-sm">
              {pointed !== undefined && readOut(pointed)}
            </p>
            <div className="grid grid-cols-[auto_1fr] gap-x-2">
              <div aria-hidden className="flex h-44 flex-col justify-between text-right text-ink-3 text-xs">
                {marks.map((mark) => (
                  <span key={mark} className="-my-2">
                    {format(mark)}
                  </span>
                ))}
              </div>
              <div
                className="relative h-44 border-line border-b"
                onPointerMove={point}
                onPointerLeave={() => setPointed(undefined)}
              >
                <div aria-hidden className="absolute inset-x-0 top-0 border-line border-t" />
                <div aria-hidden className="absolute inset-x-0 top-1/2 border-line border-t border-dashed" />
                {pointed !== undefined && (
                  <Marker index={pointed} count={categories.length} isLine={isLine} />
                )}
                <svg
                  role="img"
                  aria-label={`${label}. ${describe()}`}
                  viewBox="0 0 100 100"
                  preserveAspectRatio="none"
                  className="absolute inset-0 size-full overflow-visible"
                >
                  {children}
                </svg>
                {overlay}
              </div>
              <span />
              <Axis categories={categories} nameCategory={nameCategory} isLine={isLine} />
            </div>
          </>
        )}
      </div>
    </figure>
  );

  function readOut(index: number): string {
    const parts = series.flatMap(({ name, values }) => {
      const value = values[index];
      return value === null || value === undefined || value === 0 ? [] : [`${name} ${format(value)}`];
    });
    const total = totalOf?.(index);
    return [
      `${nameCategory(categories[index] ?? '')}:`,
      ...(total ? [total] : []),
      parts.join(' · ') || 'nothing',
    ].join(' ');
  }

  function describe(): string {
    const [first = '', last = ''] = [categories[0], categories.at(-1)];
    return `${series.map(({ name }) => name).join(', ')}, from ${nameCategory(first)} to ${nameCategory(last)}. The numbers are in the table.`;
  }
}

function Marker({ index, count, isLine }: { index: number; count: number; isLine: boolean }) {
  const left = isLine ? lineX(index, count) : (index / count) * 100;
  return (
    <div
      aria-hidden
      className={classes('absolute inset-y-0', isLine ? 'border-line-strong border-l' : 'bg-hover')}
      style={{ left: `${left}%`, width: isLine ? 0 : `${100 / count}%` }}
    />
  );
}

function Legend({ series }: { series: readonly Series[] }) {
  if (series.length < 2) return null;
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {series.map(({ id, name }, index) => (
        <li key={id} className="flex min-w-0 items-center gap-1.5">
          <span
            aria-hidden
            className={classes(
              'size-2.5 shrink-0 rounded-sm forced-color-adjust-none',
              id === otherSeries ? 'bg-ink-3' : fills[index],
            )}
          />
          <span className="max-w-48 truncate" title={name}>
            {name}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface AxisProps {
  categories: readonly string[];
  nameCategory: (category: string) => string;
  isLine: boolean;
}

function Axis({ categories, nameCategory, isLine }: AxisProps) {
  return (
    <div aria-hidden className="relative h-5 text-ink-3 text-xs">
      {labelIndexes(categories.length, 4).map((index, position, all) => {
        const count = categories.length;
        const left = isLine ? lineX(index, count) : ((index + 0.5) / count) * 100;
        const isLast = position === all.length - 1 && position > 0;
        return (
          <span
            key={index}
            className={classes(
              'absolute top-1 whitespace-nowrap',
              position === 0 ? '' : isLast ? '-translate-x-full' : '-translate-x-1/2',
            )}
            style={{ left: `${position === 0 ? 0 : isLast ? 100 : left}%` }}
          >
            {nameCategory(categories[index] ?? '')}
          </span>
        );
      })}
    </div>
  );
}

/** The numbers of a chart. */
function ChartTable({ label, categories, series, format, nameCategory }: Required<ChartProps>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section aria-label={`${label}, as a table`} tabIndex={0} className="max-h-72 overflow-auto">
      <table className="w-full border-collapse text-sm">
        <thead className="sticky top-0 bg-sunken text-left text-ink-2">
          <tr>
            <th scope="col" className="px-2 py-1 font-medium">
              Day (UTC)
            </th>
            {series.map(({ id, name }) => (
              <th key={id} scope="col" className="px-2 py-1 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {categories.map((category, index) => (
            <tr key={category} className="border-line border-b">
              <th scope="row" className="px-2 py-1 text-left font-normal">
                {nameCategory(category)}
              </th>
              {series.map(({ id, values }) => {
                const value = values[index];
                return (
                  <td key={id} className="px-2 py-1 text-right tabular-nums">
                    {value === null || value === undefined ? '–' : format(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
