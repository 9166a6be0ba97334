import type { PriceOverrides } from './price-of.ts';
import type { Provider } from './providers/provider.ts';

/** The chat models of a provider that have a price, the default one first. `name*` stands for a family, not for a model. */
export function chatModelNames(
  { name: provider, chat, embeddings, prices = {} }: Provider,
  overrides: PriceOverrides = {},
): string[] {
  const prefix = `${provider}/`;
  const priced = Object.keys(overrides).flatMap((id) =>
    id.startsWith(prefix) ? [id.slice(prefix.length)] : [],
  );
  const isEmbedding = (model: string) => model in (embeddings?.dimensions ?? {});
  const names = [...(chat ? [chat.defaultModel] : []), ...Object.keys(prices), ...priced];
  return [...new Set(names)].filter((model) => !model.endsWith('*') && !isEmbedding(model));
}
