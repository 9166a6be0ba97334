import { fromNumber, parseDecimal, toNumber } from './decimal.ts';
import {
  add,
  CalculationError,
  divide,
  floor,
  isLess,
  isWhole,
  multiply,
  negate,
  type Rational,
  rational,
  squareRoot,
  truncate,
  wholePower,
} from './rational.ts';

/** Pi and e to more digits than any result shows. */
const constants = new Map([
  ['pi', parseDecimal('3.14159265358979323846264338327950288')],
  ['e', parseDecimal('2.71828182845904523536028747135266250')],
]);

interface NamedFunction {
  /** The smallest and the largest number of arguments. */
  takes: [number, number];
  apply(...values: Rational[]): Rational | Outcome;
}

export interface Outcome {
  value: Rational;
  exact: boolean;
}

const one = (apply: (value: Rational) => Rational | Outcome): NamedFunction => ({ takes: [1, 1], apply });
const many = (apply: (...values: Rational[]) => Rational): NamedFunction => ({ takes: [1, 100], apply });
/** In floating point: correct to about fifteen digits. */
const approximate = (apply: (value: number) => number) =>
  one((value) => ({ value: fromNumber(apply(toNumber(value))), exact: false }));
const sum = (...values: Rational[]) => values.reduce(add);

const functions: Record<string, NamedFunction> = {
  abs: one((value) => (value.top < 0n ? negate(value) : value)),
  sqrt: one(root),
  floor: one(floor),
  ceil: one((value) => negate(floor(negate(value)))),
  trunc: one(truncate),
  round: { takes: [1, 2], apply: round },
  min: many((...values) => values.reduce((least, value) => (isLess(value, least) ? value : least))),
  max: many((...values) => values.reduce((most, value) => (isLess(most, value) ? value : most))),
  sum: many(sum),
  avg: many((...values) => divide(sum(...values), rational(BigInt(values.length)))),
  pow: { takes: [2, 2], apply: power },
  exp: approximate(Math.exp),
  ln: approximate(Math.log),
  log: approximate(Math.log10),
  log2: approximate(Math.log2),
  sin: approximate(Math.sin),
  cos: approximate(Math.cos),
  tan: approximate(Math.tan),
};

export function power(base: Rational, exponent: Rational): Outcome {
  if (isWhole(exponent)) return { value: wholePower(base, exponent.top), exact: true };
  if (exponent.bottom === 2n) {
    const { value, exact } = root(base);
    return { value: wholePower(value, exponent.top), exact };
  }
  if (base.top < 0n) throw new CalculationError('A negative number has no fractional power.');
  return { value: fromNumber(toNumber(base) ** toNumber(exponent)), exact: false };
}

function root(square: Rational): Outcome {
  const value = squareRoot(square);
  const { top, bottom } = multiply(value, value);
  return { value, exact: top === square.top && bottom === square.bottom };
}

/** Half away from zero, to a number of decimals. */
function round(value?: Rational, places: Rational = rational(0n)): Rational {
  if (!value) throw new CalculationError('round needs a number.');
  if (!isWhole(places) || places.top < 0n || places.top > 100n) {
    throw new CalculationError('round takes a whole number of decimals from 0 to 100.');
  }
  const scale = wholePower(rational(10n), places.top);
  const half = rational(value.top < 0n ? -1n : 1n, 2n);
  return divide(truncate(add(multiply(value, scale), half)), scale);
}

export function constantOf(name: string): Outcome {
  const value = constants.get(name);
  if (!value) throw new CalculationError(`There is no constant ${name}; there are pi and e.`);
  return { value, exact: false };
}

export function applyFunction(name: string, values: Rational[]): Outcome {
  const found = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (!found) {
    throw new CalculationError(
      `There is no function ${name}; there are ${Object.keys(functions).join(', ')}.`,
    );
  }
  const [fewest, most] = found.takes;
  if (values.length < fewest || values.length > most) {
    const count = fewest === most ? fewest : `${fewest} to ${most}`;
    throw new CalculationError(`${name} takes ${count} ${most === 1 ? 'number' : 'numbers'}.`);
  }
  const outcome = found.apply(...values);
  return 'exact' in outcome ? outcome : { value: outcome, exact: true };
}
