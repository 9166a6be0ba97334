import type { Usage } from './model.ts';
import { priceTable } from './price-table.ts';

export interface Rates {
  /** USD per million tokens. */
  input: number;
  cachedInput: number;
  output: number;
}

export interface Price extends Rates {
  /** Some providers ask more, for the whole request, when the input is long. */
  longContext?: Rates & { aboveInputTokens: number };
}

export type PriceOverrides = Readonly<Record<string, Price>>;

const free: Price = { input: 0, cachedInput: 0, output: 0 };

/**
 * Only what can be a release of the same model may follow a known name. A looser rule would sell a new, dearer model
 * (`gpt-5.9`) at the price of an old one (`gpt-5`).
 */
const releaseSuffix = /^-(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{3,4}|0|latest|preview(?:-\d{2}-\d{2,4})?)$/;

/** The price of a `provider/model`: a configured one, else the published one, else none. `name*` covers a family. */
export function priceOf(id: string, overrides: PriceOverrides = {}): Price | undefined {
  if (id.startsWith('builtin/')) return free;
  return findPrice(id, overrides) ?? findPrice(id, priceTable);
}

function findPrice(id: string, table: PriceOverrides): Price | undefined {
  let best: { price: Price; length: number } | undefined;
  for (const [name, price] of Object.entries(table)) {
    if (covers(name, id) && name.length > (best?.length ?? -1)) best = { price, length: name.length };
  }
  return best?.price;
}

function covers(name: string, id: string): boolean {
  if (name === id) return true;
  if (name.endsWith('*')) return id.startsWith(name.slice(0, -1));
  return id.startsWith(name) && releaseSuffix.test(id.slice(name.length));
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

/** USD per million tokens are millionths of a dollar per token: prices of up to six decimals stay whole numbers. */
function perToken(usdPerMillion: number): bigint {
  return BigInt(Math.round(usdPerMillion * 1_000_000));
}
