import { formatUsd } from '../lib/money.ts';
import type { Usage } from '../models/model.ts';
import { costOf, type Price } from '../models/prices.ts';
import type { NewUsage } from './billing.store.ts';

/** Where something was used; empty for usage outside conversations. */
export interface UsageOrigin {
  conversationId?: string;
  turnId?: string;
  messageId?: string | undefined;
  traceStepId?: string | undefined;
}

/** The row of a usage record. Its cost is null when the price is not known. */
export function usageRow(
  id: string,
  model: string,
  usage: Usage,
  price: Price | undefined,
  { conversationId, turnId, messageId, traceStepId }: UsageOrigin,
): NewUsage {
  const { inputTokens, cachedInputTokens, outputTokens } = usage;
  return {
    id,
    ...(conversationId !== undefined && { conversationId }),
    ...(turnId !== undefined && { turnId }),
    messageId,
    traceStepId,
    model,
    inputTokens,
    cachedInputTokens,
    outputTokens,
    costUsd: price ? formatUsd(costOf(usage, price)) : null,
  };
}
