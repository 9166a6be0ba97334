import { AppError } from '../lib/app-error.ts';
import { toDollars } from '../lib/money.ts';
import { costOf, type Price } from '../models/prices.ts';
import type { ProviderObserver } from '../models/providers/provider-observer.ts';
import type { Meters } from './meters.ts';

const errorKinds: Record<string, string> = {
  MODEL_UNAVAILABLE: 'unavailable',
  MODEL_RATE_LIMITED: 'rate_limited',
  MODEL_REJECTED: 'rejected',
  CONTEXT_TOO_LONG: 'context_too_long',
};

export interface ObserveProvidersOptions {
  meters: Meters;
  priceOf(modelId: string): Price | undefined;
  /** Also called for every attempt that failed. */
  onFailure(provider: string): void;
}

/** Counts what providers do. */
export function observeProviders({ meters, priceOf, onFailure }: ObserveProvidersOptions): ProviderObserver {
  /** Most installations use one model, and looking up a price takes longer than everything else here. */
  let last: { modelId: string; price: Price | undefined } = { modelId: '', price: undefined };
  return {
    succeeded(provider, operation, milliseconds) {
      meters.providerSeconds.observe(milliseconds / 1_000, provider, operation);
    },
    failed(provider, error) {
      const kind = error instanceof AppError ? errorKinds[error.code] : 'unavailable';
      meters.providerErrors.add(1, provider, kind ?? 'other');
      onFailure(provider);
    },
    used(modelId, operation, usage) {
      const provider = modelId.slice(0, modelId.indexOf('/'));
      const cached = Math.min(usage.cachedInputTokens, usage.inputTokens);
      meters.tokens.add(usage.inputTokens - cached, provider, 'input');
      meters.tokens.add(cached, provider, 'cached_input');
      meters.tokens.add(usage.outputTokens, provider, 'output');
      if (modelId !== last.modelId) last = { modelId, price: priceOf(modelId) };
      if (last.price) meters.cost.add(toDollars(costOf(usage, last.price)), operation);
    },
  };
}
