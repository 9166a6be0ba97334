interface MeterProps {
  label: string;
  /** From 0 to 1. */
  value: number;
  /** It grows until it is full. */
  isProgress?: boolean;
}

/** A share of a whole as a bar. The number is written next to it. */
export function Meter({ label, value, isProgress = false }: MeterProps) {
  const share = Math.max(0, Math.min(1, value));
  return (
    <span
      role={isProgress ? 'progressbar' : 'meter'}
      aria-label={label}
      aria-valuenow={Math.round(share * 100)}
      aria-valuemin={0}
      aria-valuemax={100}
      className="block h-1.5 w-full overflow-hidden rounded-full bg-sunken ring-1 ring-line"
    >
      <span
        className="block h-full rounded-full bg-accent forced-colors:bg-[Highlight]"
        style={{ width: `${share * 100}%` }}
      />
    </span>
  );
}
