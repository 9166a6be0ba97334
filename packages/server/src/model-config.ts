import { modelFault } from './models/model-id.ts';

export interface ProviderConfig {
  apiKey?: string;
  baseUrl?: string;
}

export interface Providers {
  openai?: ProviderConfig;
  anthropic?: ProviderConfig;
  google?: ProviderConfig;
  elevenlabs?: ProviderConfig;
  cartesia?: ProviderConfig;
  deepgram?: ProviderConfig;
}

/** What is wrong with the id of a model that bots answer with, to be read after the name of its variable. */
export function chatModelFault(id: string, providers: Providers): string | undefined {
  const known = ['openai', 'anthropic', 'google'];
  return modelFault(id, { known, usable: usableOf(providers), builtin: 'extractive' });
}

/** The same of a model that makes vectors; Anthropic has none. */
export function embeddingModelFault(id: string, providers: Providers): string | undefined {
  return modelFault(id, {
    known: ['openai', 'google'],
    usable: usableOf(providers),
    builtin: 'sentence-encoder',
  });
}

/** A server that speaks the wire of OpenAI may need no key; the others are services with keys. */
function usableOf({ openai, anthropic, google }: Providers): string[] {
  return [
    ...(openai ? ['openai'] : []),
    ...(anthropic?.apiKey ? ['anthropic'] : []),
    ...(google?.apiKey ? ['google'] : []),
  ];
}

/** USD per million tokens, by `provider/model`. */
export type ModelPrices = Record<string, { input: number; cachedInput: number; output: number }>;

/** `{ "provider/model": { "input": 1.25, "cached_input": 0.1, "output": 10 } }`; undefined when it is something else. */
export function parseModelPrices(text: string): ModelPrices | undefined {
  const table = parseObject(text);
  if (!table) return undefined;
  const prices: ModelPrices = {};
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
