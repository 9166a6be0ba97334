import type { NeedsHuman } from '@svc/contract/conversations';
import type { ConversationRow } from './conversations.store.ts';

/** Since when a conversation has been waiting for a person, and why. */
export function needsHumanOf({
  handoffRequestedAt: at,
  handoffReason: reason,
}: Pick<ConversationRow, 'handoffRequestedAt' | 'handoffReason'>): NeedsHuman | null {
  return at && { at: at.toISOString(), reason: reason ?? '' };
}
