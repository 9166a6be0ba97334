import { splitModelId } from './model-id.ts';
import type { Price } from './prices.ts';
import { findProvider, isLocalModel } from './providers/providers.ts';

/** By `provider/model`. */
export type PriceOverrides = Readonly<Record<string, Price>>;

const free: Price = { input: 0, cachedInput: 0, output: 0 };

/**
 * Only the suffix of a release of the same model may follow a known name. A looser rule would charge the price of an old
 * model (`gpt-5`) for a new, more expensive one (`gpt-5.9`).
 */
const releaseSuffix = /^-(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{3,4}|0|latest|preview(?:-\d{2}-\d{2,4})?)$/;

/** The price of a `provider/model`: a configured one, else the published one, else none. `name*` covers a family. */
export function priceOf(id: string, overrides: PriceOverrides = {}): Price | undefined {
  if (isLocalModel(id)) return free;
  const { provider = '', name = '' } = splitModelId(id) ?? {};
  return findPrice(id, overrides) ?? findPrice(name, findProvider(provider)?.prices ?? {});
}

function findPrice(id: string, table: Readonly<Record<string, Price>>): Price | undefined {
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
