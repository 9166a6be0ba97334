import type { Usage as WireUsage } from '@svc/contract/conversations';
import type { NewEvent } from '../events/event.ts';
import type { Usage } from '../models/model.ts';
import { formatUsd } from '../money.ts';
import type { TurnState } from './state.ts';

export function wireUsage(usage: Usage): WireUsage {
  return {
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
  };
}

export function completedEvent(turnId: string, messageId: string, { usage, cost }: TurnState): NewEvent {
  return {
    type: 'turn.completed',
    data: { turn_id: turnId, message_id: messageId, usage: wireUsage(usage), cost_usd: formatUsd(cost) },
  };
}
