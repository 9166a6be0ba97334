import { compileCheck } from '../../../validation/checker.ts';
import { emptyConfiguration, onlyFunction } from '../../define-function.ts';
import { failed, succeeded } from '../../tool-result.ts';
import type { ToolType } from '../../tool-type.ts';
import { formatDecimal } from './decimal.ts';
import { evaluate } from './evaluate.ts';
import { CalculationError } from './rational.ts';

const parameters = {
  type: 'object',
  properties: {
    expression: {
      type: 'string',
      minLength: 1,
      maxLength: 500,
      description:
        'Such as (19.99 * 3) / 1.19 or round(sqrt(2), 4). + - * / % (remainder) ^, parentheses, pi, e and abs, avg, ceil, cos, exp, floor, ln, log (base 10), log2, max, min, pow, round(number, decimals), sin, sqrt, sum, tan (radians), trunc.',
    },
  },
  required: ['expression'],
  additionalProperties: false,
};
const check = compileCheck<{ expression: string }>(parameters);

export const calculator: ToolType = {
  type: 'calculator',
  name: 'Calculator',
  description: 'Does arithmetic exactly. Use it for every calculation.',
  configurationSchema: emptyConfiguration,
  readOnly: true,
  asks: () => ({}),
  isPure: true,
  needsNoConfiguration: true,
  presets: [],
  functions: onlyFunction({
    parameters,
    check,
    run({ expression }) {
      try {
        const outcome = evaluate(expression);
        const { text, exact } = formatDecimal(outcome.value, outcome.exact);
        return succeeded(exact ? text : `about ${text}`, { value: text, exact });
      } catch (error) {
        if (error instanceof CalculationError) return failed(error.message);
        throw error;
      }
    },
  }),
};
