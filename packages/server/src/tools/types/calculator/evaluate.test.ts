import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { threadMilliseconds } from '../../../../test/support/event-loop.ts';
import { formatDecimal } from './decimal.ts';
import { evaluate } from './evaluate.ts';

function calculate(expression: string): string {
  const { value, exact } = evaluate(expression);
  return formatDecimal(value, exact).text;
}

describe('a calculation', () => {
  it.each([
    ['0.1 + 0.2', '0.3'],
    ['1/3', '0.33333333333333333333'],
    ['2/3', '0.66666666666666666667'],
    ['-1/3', '-0.33333333333333333333'],
    ['1/3*3', '1'],
    ['2+3*4', '14'],
    ['(2+3)*4', '20'],
    ['10-4-3', '3'],
    ['100/10/5', '2'],
    ['-2^2', '-4'],
    ['(-2)^2', '4'],
    ['2^3^2', '512'],
    ['2^-2', '0.25'],
    ['2**10', '1024'],
    ['7 % 3', '1'],
    ['-7 % 3', '-1'],
    ['7.5 % 2', '1.5'],
    ['--3', '3'],
    ['3 - -3', '6'],
    ['1e3 + .5', '1000.5'],
    ['1.5e-3', '0.0015'],
    ['99999999999999999999 + 1', '100000000000000000000'],
    ['123456789 * 987654321', '121932631112635269'],
    ['sqrt(16)', '4'],
    ['sqrt(2.25)', '1.5'],
    ['sqrt(2)', '1.4142135623730950488'],
    ['sqrt(2) * sqrt(2)', '2'],
    ['4^0.5', '2'],
    ['8^(1/3)', '2'],
    ['abs(-3.5)', '3.5'],
    ['round(2.5)', '3'],
    ['round(-2.5)', '-3'],
    ['round(2.345, 2)', '2.35'],
    ['round(1.005, 2)', '1.01'],
    ['floor(-1.5)', '-2'],
    ['ceil(-1.5)', '-1'],
    ['trunc(-1.5)', '-1'],
    ['min(3, 1, 2)', '1'],
    ['max(3, 1, 2)', '3'],
    ['sum(0.1, 0.2, 0.3)', '0.6'],
    ['avg(1, 2)', '1.5'],
    ['pow(2, 8)', '256'],
    ['log(1000)', '3'],
    ['log2(8)', '3'],
    ['exp(0)', '1'],
    ['round(sin(pi / 2), 10)', '1'],
    ['PI', '3.1415926535897932385'],
    ['12 × 3 ÷ 4 − 1', '8'],
    ['1^999999999', '1'],
    ['(-1)^999999999', '-1'],
    ['0^0', '1'],
  ])('%s', (expression, result) => {
    expect(calculate(expression)).toBe(result);
  });

  it.each([
    ['', 'ends too early'],
    ['1 +', 'ends too early'],
    ['(1', 'closing parenthesis'],
    ['1)', '")" is not expected'],
    ['1 2', '"2" is not expected'],
    ['1,000', '"," is not expected'],
    ['2 $ 3', '"$" is not expected'],
    ['1 / 0', 'Division by zero'],
    ['0 ^ -1', 'Division by zero'],
    ['5 % 0', 'Division by zero'],
    ['sqrt(-1)', 'no square root'],
    ['(-8)^(1/3)', 'no fractional power'],
    ['ln(0)', 'no result'],
    ['foo(1)', 'There is no function foo'],
    ['constructor(1)', 'There is no function'],
    ['toString', 'There is no constant'],
    ['process.exit(1)', 'not expected'],
    ['sqrt(1, 2)', 'sqrt takes 1 number.'],
    ['round(1, 0.5)', 'whole number of decimals'],
    ['9^9^9', 'too large'],
    ['1e99999', 'too large'],
    ['2^4001', 'too large'],
    [`${'('.repeat(60)}1${')'.repeat(60)}`, 'nested too deeply'],
    [`${'-'.repeat(60)}1`, 'nested too deeply'],
  ])('explains what is wrong with %s', (expression, message) => {
    expect(() => calculate(expression)).toThrow(message);
  });

  it('knows whether it is exact', () => {
    const exact = (expression: string) => evaluate(expression).exact;
    expect(['0.1 + 0.2', 'sqrt(16)', '4^0.5', '2^-3', 'round(2/3, 2)'].map(exact)).toEqual(
      Array(5).fill(true),
    );
    expect(['sqrt(2)', '2^0.5', 'pi', '2 * sin(1)', '8^(1/3)'].map(exact)).toEqual(Array(5).fill(false));
  });

  it('agrees with the processor on whole numbers', () => {
    const whole = fc.integer({ min: -1000, max: 1000 });
    const operator = fc.constantFrom('+', '-', '*');
    fc.assert(
      fc.property(whole, operator, whole, operator, whole, (a, first, b, second, c) => {
        const left: Record<string, number> = { '+': a + b, '-': a - b, '*': a * b };
        const expected: Record<string, number> = {
          '+': (left[first] ?? 0) + c,
          '-': (left[first] ?? 0) - c,
          '*': (left[first] ?? 0) * c,
        };
        expect(Number(calculate(`((${a}) ${first} (${b})) ${second} (${c})`))).toBe(
          (expected[second] ?? 0) + 0,
        );
      }),
    );
  });

  it('ends with a result or a sentence, soon, whatever it is given', () => {
    const piece = fc.constantFrom(
      '1',
      '9',
      '0',
      '.',
      '+',
      '-',
      '*',
      '/',
      '%',
      '^',
      '(',
      ')',
      ',',
      'sqrt(',
      'e',
      'pi',
      ' ',
      'round(',
    );
    const expression = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(expression, (text) => {
        const startedAt = threadMilliseconds();
        try {
          calculate(text);
        } catch (error) {
          expect((error as Error).constructor.name).toBe('CalculationError');
        }
        expect(threadMilliseconds() - startedAt).toBeLessThan(1_000);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is quick with the longest numbers it allows', () => {
    const startedAt = threadMilliseconds();
    const expression = Array.from({ length: 70 }, (_, index) => `1/${index + 2}^99`)
      .join('+')
      .slice(0, 500);
    expect(() => calculate(expression.replace(/[^0-9]*$/, ''))).toThrow('too large');
    const roots = `sqrt(${'9'.repeat(480)})`;
    calculate(roots);
    expect(threadMilliseconds() - startedAt).toBeLessThan(500);
  });
});
