/** A fraction in lowest terms with the sign on top: arithmetic on it is exact. */
export interface Rational {
  top: bigint;
  /** Positive. */
  bottom: bigint;
}

/** A mistake in the expression, with a message for the caller. */
export class CalculationError extends Error {}

/** 1,200 digits: more than people need, and few enough that no expression keeps the process busy. */
export const maxBits = 4_000;
const approximateDigits = 30n;

export function rational(top: bigint, bottom = 1n): Rational {
  if (bottom === 0n) throw new CalculationError('Division by zero.');
  const divisor = greatestCommonDivisor(size(top), size(bottom)) * (bottom < 0n ? -1n : 1n);
  const reduced = { top: top / divisor, bottom: bottom / divisor };
  if (bits(reduced.top) > maxBits || bits(reduced.bottom) > maxBits) throw tooLarge();
  return reduced;
}

export const add = (a: Rational, b: Rational) =>
  rational(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom);
export const negate = ({ top, bottom }: Rational): Rational => ({ top: -top, bottom });
export const subtract = (a: Rational, b: Rational) => add(a, negate(b));
export const multiply = (a: Rational, b: Rational) => rational(a.top * b.top, a.bottom * b.bottom);
export const divide = (a: Rational, b: Rational) => rational(a.top * b.bottom, a.bottom * b.top);
export const isLess = (a: Rational, b: Rational) => a.top * b.bottom < b.top * a.bottom;
export const isWhole = ({ bottom }: Rational) => bottom === 1n;

/** Towards zero. */
export const truncate = ({ top, bottom }: Rational) => rational(top / bottom);

/** The remainder of a division, with the sign of `a`. */
export const remainder = (a: Rational, b: Rational) => subtract(a, multiply(truncate(divide(a, b)), b));

export function floor(value: Rational): Rational {
  const whole = truncate(value);
  return isLess(value, whole) ? subtract(whole, rational(1n)) : whole;
}

export function wholePower(base: Rational, exponent: bigint): Rational {
  const larger = Math.max(bits(base.top), bits(base.bottom));
  if (larger > 1 && size(exponent) * BigInt(larger - 1) > BigInt(maxBits)) throw tooLarge();
  const times = size(exponent);
  // Every power of 1, 0 and -1 is one of them, however large the exponent.
  const steps = larger > 1 ? times : times % 2n === 0n && times > 0n ? 2n : times > 0n ? 1n : 0n;
  const raised = rational(base.top ** steps, base.bottom ** steps);
  return exponent < 0n ? rational(raised.bottom, raised.top) : raised;
}

/** Exact where there is an exact root, otherwise to about thirty digits. */
export function squareRoot({ top, bottom }: Rational): Rational {
  if (top < 0n) throw new CalculationError('A negative number has no square root.');
  const [exactTop, exactBottom] = [integerRoot(top), integerRoot(bottom)];
  if (exactTop ** 2n === top && exactBottom ** 2n === bottom) return rational(exactTop, exactBottom);
  const scale = 10n ** (approximateDigits + BigInt(String(bottom).length));
  return rational(integerRoot((top * scale * scale) / bottom), scale);
}

export function tooLarge(): CalculationError {
  return new CalculationError('The numbers become too large.');
}

/** Newton's method, from above. */
function integerRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt(Math.ceil(bits(value) / 2));
  for (;;) {
    const next = (root + value / root) / 2n;
    if (next >= root) return root;
    root = next;
  }
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [larger, smaller] = [a, b];
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}

function size(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function bits(value: bigint): number {
  return value === 0n ? 0 : size(value).toString(2).length;
}
