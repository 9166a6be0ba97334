const decimals = 9;
const unit = 10n ** BigInt(decimals);

/** US dollars as a whole number of billionths, so that sums are exact. */
export type NanoUsd = bigint;

/** Parses a decimal string such as `12.5`, with at most nine decimals. */
export function parseUsd(text: string): NanoUsd {
  const match = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(text);
  if (!match) throw new Error('Not an amount of US dollars.');
  const [, sign, whole = '0', fraction = ''] = match;
  const amount = BigInt(whole) * unit + BigInt(fraction.padEnd(decimals, '0'));
  return sign ? -amount : amount;
}

/** As a number, for statistics: not exact. */
export function toDollars(amount: NanoUsd): number {
  return Number(amount) / Number(unit);
}

/** The shortest decimal string of an amount: `0`, `12.5`, `-0.000001`. */
export function formatUsd(amount: NanoUsd): string {
  const size = amount < 0n ? -amount : amount;
  const fraction = String(size % unit)
    .padStart(decimals, '0')
    .replace(/0+$/, '');
  return `${amount < 0n ? '-' : ''}${size / unit}${fraction && `.${fraction}`}`;
}
