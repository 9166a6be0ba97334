import type { NeedsHuman } from '@svc/contract/conversations';
import type { ConversationRow } from './store.ts';

/** Since when, and why, a conversation waits for a person. */
export function needsHumanOf({
  handoffRequestedAt: at,
  handoffReason: reason,
}: Pick<ConversationRow, 'handoffRequestedAt' | 'handoffReason'>): NeedsHuman | null {
  return at && { at: at.toISOString(), reason: reason ?? '' };
}
