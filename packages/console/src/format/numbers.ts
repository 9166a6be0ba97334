const whole = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function count(value: number): string {
  return whole.format(value);
}

/** `12.3K`. */
export function compactCount(value: number): string {
  return value < 10_000 ? whole.format(value) : compact.format(value);
}

/** Decimal dollars from the service, with as many digits as they need to say something: `$0.000001`, `$3.18`, `$12,345`. */
export function money(usd: string | null | undefined): string {
  if (usd === null || usd === undefined) return 'price unknown';
  const value = Number(usd);
  if (value === 0) return '$0';
  const size = Math.abs(value);
  const digits = size >= 1000 ? 0 : size >= 0.1 ? 2 : Math.min(9, 2 - Math.floor(Math.log10(size)));
  const text = new Intl.NumberFormat('en', {
    minimumFractionDigits: Math.min(digits, 2),
    maximumFractionDigits: digits,
  }).format(size);
  return `${value < 0 ? '-' : ''}$${text}`;
}

export function bytes(value: number): string {
  if (value < 1024) return `${value} B`;
  if (value < 1024 ** 2) return `${Math.round(value / 1024)} KB`;
  return value < 1024 ** 3 ? `${(value / 1024 ** 2).toFixed(1)} MB` : `${(value / 1024 ** 3).toFixed(1)} GB`;
}

/** `1 bot`, `3 bots`. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${whole.format(value)} ${value === 1 ? one : many}`;
}
