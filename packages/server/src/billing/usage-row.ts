import type { Usage } from '../models/model.ts';
import { costOf, type Price } from '../models/prices.ts';
import { formatUsd } from '../money.ts';
import type { NewUsage } from './store.ts';

/** Where something was used; nothing of it for what belongs to no conversation. */
export interface Place {
  conversationId?: string;
  turnId?: string;
}

/** What was used, as it is written. Its cost is null when nobody knows the price. */
export function usageRow(
  id: string,
  model: string,
  usage: Usage,
  price: Price | undefined,
  { conversationId, turnId }: Place,
): NewUsage {
  const { inputTokens, cachedInputTokens, outputTokens } = usage;
  return {
    id,
    ...(conversationId !== undefined && { conversationId }),
    ...(turnId !== undefined && { turnId }),
    model,
    inputTokens,
    cachedInputTokens,
    outputTokens,
    costUsd: price ? formatUsd(costOf(usage, price)) : null,
  };
}
