import { parseDecimal } from './decimal.ts';
import { applyFunction, constantOf, type Outcome, power } from './functions.ts';
import {
  add,
  CalculationError,
  divide,
  multiply,
  negate,
  type Rational,
  remainder,
  subtract,
} from './rational.ts';

const maxDepth = 50;
const token = /\s*(?:(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)|([a-z][a-z0-9]*)|(\*\*|[-+*/%^(),]))/iy;
/** As people and models write them. */
const spellings = new Map([
  ['×', '*'],
  ['·', '*'],
  ['÷', '/'],
  ['−', '-'],
  ['–', '-'],
  ['**', '^'],
]);

type Operation = (left: Rational, right: Rational) => Rational;
const sums = new Map<string, Operation>([
  ['+', add],
  ['-', subtract],
]);
const products = new Map<string, Operation>([
  ['*', multiply],
  ['/', divide],
  ['%', remainder],
]);

/**
 * Parses an expression and evaluates it on the way; nothing is ever run as code.
 *
 *     sum     = product (("+" | "-") product)*
 *     product = signed (("*" | "/" | "%") signed)*
 *     signed  = ("-" | "+") signed | power
 *     power   = operand ("^" signed)?
 *     operand = number | name | name "(" sum ("," sum)* ")" | "(" sum ")"
 */
export function evaluate(expression: string): Outcome {
  const tokens = tokenize(expression);
  let position = 0;
  let depth = 0;
  let exact = true;
  const next = () => tokens[position];
  const take = (wanted: string) => {
    if (next() !== wanted) return false;
    position += 1;
    return true;
  };

  function note(outcome: Outcome): Rational {
    exact &&= outcome.exact;
    return outcome.value;
  }

  function chain(part: () => Rational, operations: Map<string, Operation>): Rational {
    let value = part();
    for (;;) {
      const operation = operations.get(next() ?? '');
      if (!operation) return value;
      position += 1;
      value = operation(value, part());
    }
  }
  const sum = (): Rational => chain(product, sums);
  const product = (): Rational => chain(signed, products);

  function signed(): Rational {
    depth += 1;
    if (depth > maxDepth) throw new CalculationError('The expression is nested too deeply.');
    const value = take('-') ? negate(signed()) : take('+') ? signed() : raised();
    depth -= 1;
    return value;
  }

  function raised(): Rational {
    const base = operand();
    return take('^') ? note(power(base, signed())) : base;
  }

  function operand(): Rational {
    const text = next();
    if (text === undefined) throw new CalculationError('The expression ends too early.');
    position += 1;
    if (/^[\d.]/.test(text)) return parseDecimal(text);
    if (text === '(') return closed(sum());
    if (!/^[a-z]/i.test(text)) throw unexpected(text);
    const name = text.toLowerCase();
    if (!take('(')) return note(constantOf(name));
    const values = [sum()];
    while (take(',')) values.push(sum());
    return closed(note(applyFunction(name, values)));
  }

  function closed(value: Rational): Rational {
    if (!take(')')) throw new CalculationError('A closing parenthesis is missing.');
    return value;
  }

  const value = sum();
  const rest = next();
  if (rest !== undefined) throw unexpected(rest);
  return { value, exact };
}

function tokenize(expression: string): string[] {
  const text = expression.replaceAll(/[×·÷−–]/g, (sign) => spellings.get(sign) ?? sign).trimEnd();
  const tokens: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const start = token.lastIndex;
    const match = token.exec(text);
    if (!match) throw unexpected(text.slice(start).trimStart().slice(0, 1));
    const found = match[1] ?? match[2] ?? match[3] ?? '';
    tokens.push(spellings.get(found) ?? found);
  }
  return tokens;
}

function unexpected(text: string): CalculationError {
  return new CalculationError(`"${text}" is not expected there.`);
}
