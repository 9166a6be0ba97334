import type { PriceOverrides } from './price-of.ts';
import type { Price } from './prices.ts';

/** `{ "provider/model": { "input": 1.25, "cached_input": 0.1, "output": 10 } }`; undefined when it is something else. */
export function parsePrices(text: string): PriceOverrides | undefined {
  const table = parseObject(text);
  if (!table) return undefined;
  const prices: Record<string, Price> = {};
  for (const [model, price] of Object.entries(table)) {
    const { input, output, cached_input: cachedInput = input } = (price ?? {}) as Record<string, unknown>;
    if (!isRate(input) || !isRate(output) || !isRate(cachedInput)) return undefined;
    prices[model] = { input, cachedInput, output };
  }
  return prices;
}

function isRate(value: unknown): value is number {
  return typeof value === 'number' && value >= 0;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
