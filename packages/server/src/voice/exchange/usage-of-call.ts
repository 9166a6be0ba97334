import type { NewUsage } from '../../billing/billing.service.ts';
import { newId } from '../../lib/new-id.ts';

/** What a call has cost, by what it was paid for, as usage. */
export function usageOfCall(callId: string, used: Readonly<Record<string, string>>): NewUsage[] {
  return Object.entries(used).map(([model, costUsd]) => ({
    id: newId(),
    conversationId: callId,
    turnId: null,
    model,
    inputTokens: 0,
    cachedInputTokens: 0,
    outputTokens: 0,
    costUsd,
  }));
}
