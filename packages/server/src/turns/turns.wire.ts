import type { Usage as WireUsage } from '@svc/contract/conversations';
import { noCost, wireCost } from '../billing/billing.service.ts';
import type { NewEvent } from '../events/event.ts';
import { noUsage } from '../models/add-usage.ts';
import type { Usage } from '../models/model.ts';
import type { TurnState } from './state.ts';

export function wireUsage(usage: Usage): WireUsage {
  return {
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
  };
}

export function completedEvent(
  turnId: string,
  messageId: string | null,
  { usage, cost }: Pick<TurnState, 'usage' | 'cost'>,
): NewEvent {
  return completed(turnId, messageId, { usage, cost }, false);
}

/** Ends a turn that a person answers instead of the bot. */
export function handedOffEvent(turnId: string): NewEvent {
  return completed(turnId, null, { usage: noUsage, cost: noCost }, true);
}

function completed(
  turnId: string,
  messageId: string | null,
  { usage, cost }: Pick<TurnState, 'usage' | 'cost'>,
  isHandedOff: boolean,
): NewEvent {
  const { cost_usd, unpriced_models } = wireCost(cost);
  return {
    type: 'turn.completed',
    data: {
      turn_id: turnId,
      message_id: messageId,
      usage: wireUsage(usage),
      cost_usd,
      ...(unpriced_models.length > 0 && { unpriced_models }),
      handed_off: isHandedOff,
    },
  };
}
