import { CalculationError, maxBits, type Rational, rational, tooLarge } from './rational.ts';

const significantDigits = 20;
const maxShift = maxBits / 4;

/** `12`, `.5`, `1.5e-3`. */
export function parseDecimal(text: string): Rational {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const shift = Number(exponent) - fraction.length;
  if (Math.abs(shift) > maxShift) throw tooLarge();
  const digits = BigInt(`${whole}${fraction}`) * (sign ? -1n : 1n);
  return shift >= 0 ? rational(digits * 10n ** BigInt(shift)) : rational(digits, 10n ** BigInt(-shift));
}

export function fromNumber(value: number): Rational {
  if (!Number.isFinite(value)) throw new CalculationError('That has no result.');
  return parseDecimal(String(value));
}

export function toNumber(value: Rational): number {
  return Number(formatDecimal(value, false).text);
}

/** All digits of a terminating decimal; otherwise its first significant digits, rounded. */
export function formatDecimal({ top, bottom }: Rational, exact: boolean): { text: string; exact: boolean } {
  const decimals = countDecimals(bottom);
  if (exact && decimals !== undefined) return { text: toFixed(top, bottom, decimals), exact: true };
  const magnitude = String(top).replace('-', '').length - String(bottom).length;
  return { text: toFixed(top, bottom, Math.max(significantDigits - magnitude, 0)), exact: false };
}

function toFixed(top: bigint, bottom: bigint, places: number): string {
  const scaled = (top < 0n ? -top : top) * 10n ** BigInt(places);
  const rounded = (scaled * 2n + bottom) / (bottom * 2n);
  const digits = String(rounded).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = places > 0 ? digits.slice(-places).replace(/0+$/, '') : '';
  return `${top < 0n && rounded !== 0n ? '-' : ''}${whole}${fraction && `.${fraction}`}`;
}

/** How many decimals a fraction in lowest terms has; undefined when they never end. */
function countDecimals(bottom: bigint): number | undefined {
  let [rest, twos, fives] = [bottom, 0, 0];
  for (; rest % 2n === 0n; rest /= 2n) twos += 1;
  for (; rest % 5n === 0n; rest /= 5n) fives += 1;
  return rest === 1n ? Math.max(twos, fives) : undefined;
}
