import type { Usage } from './model.ts';

export interface Rates {
  /** USD per million tokens. */
  input: number;
  cachedInput: number;
  output: number;
}

export interface Price extends Rates {
  /** Some providers charge more for the whole request when the input is long. */
  longContext?: Rates & { aboveInputTokens: number };
}

type RateList = [input: number, cachedInput: number, output: number];

export function withLongContext(aboveInputTokens: number, usual: RateList, long: RateList): Price {
  return { ...ratesOf(usual), longContext: { aboveInputTokens, ...ratesOf(long) } };
}

function ratesOf([input, cachedInput, output]: RateList): Rates {
  return { input, cachedInput, output };
}

/** What a reply cost, in whole billionths of a dollar. */
export function costOf(usage: Usage, price: Price): bigint {
  const { longContext } = price;
  const rates = longContext && usage.inputTokens > longContext.aboveInputTokens ? longContext : price;
  const cached = Math.min(usage.cachedInputTokens, usage.inputTokens);
  const picodollars =
    BigInt(usage.inputTokens - cached) * perToken(rates.input) +
    BigInt(cached) * perToken(rates.cachedInput) +
    BigInt(usage.outputTokens) * perToken(rates.output);
  return (picodollars + 500n) / 1000n;
}

/** USD per million tokens are millionths of a dollar per token: prices of up to six decimals remain integers. */
function perToken(usdPerMillion: number): bigint {
  return BigInt(Math.round(usdPerMillion * 1_000_000));
}
