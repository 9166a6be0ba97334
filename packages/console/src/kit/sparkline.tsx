interface SparklineProps {
  values: readonly number[];
  /** In words, for screen readers and as a tip: "12 conversations in 7 days". */
  label: string;
}

/** A tiny bar chart for a row of a table. */
export function Sparkline({ values, label }: SparklineProps) {
  const maximum = Math.max(...values, 1);
  const column = 100 / Math.max(1, values.length);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox="0 0 100 20"
      preserveAspectRatio="none"
      className="h-5 w-16 text-accent"
    >
      <title>{label}</title>
      {values.map((value, index) => {
        const height = value === 0 ? 1 : Math.max(2, (value / maximum) * 20);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: the position is what a value stands for
            key={index}
            x={index * column + column * 0.1}
            y={20 - height}
            width={column * 0.8}
            height={height}
            className={value === 0 ? 'fill-line-strong' : 'fill-current'}
          />
        );
      })}
    </svg>
  );
}
