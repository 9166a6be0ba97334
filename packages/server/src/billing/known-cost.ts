import { formatUsd, type NanoUsd, parseUsd } from '../lib/money.ts';

/** What some usage cost, as far as prices are known. */
export interface KnownCost {
  usd: NanoUsd;
  /** The models whose price is not known: their use is not in the sum. */
  unpriced: readonly string[];
}

export const noCost: KnownCost = { usd: 0n, unpriced: [] };

export function sumCosts(costs: Iterable<KnownCost>): KnownCost {
  let usd = 0n;
  const unpriced = new Set<string>();
  for (const cost of costs) {
    usd += cost.usd;
    for (const model of cost.unpriced) unpriced.add(model);
  }
  return { usd, unpriced: [...unpriced].toSorted() };
}

/** The cost of one request; null if the price of its model is not known. */
export function knownCost(model: string, usd: NanoUsd | null): KnownCost {
  return usd === null ? { usd: 0n, unpriced: [model] } : { usd, unpriced: [] };
}

/** The same as rows have it, in decimal dollars. */
export function knownCostOf({ model, costUsd }: { model: string; costUsd: string | null }): KnownCost {
  return knownCost(model, costUsd === null ? null : parseUsd(costUsd));
}

/** Null if none of it has a known price. */
export function wireCost({ usd, unpriced }: KnownCost): {
  cost_usd: string | null;
  unpriced_models: string[];
} {
  return {
    cost_usd: usd === 0n && unpriced.length > 0 ? null : formatUsd(usd),
    unpriced_models: [...unpriced],
  };
}
