import type { ConversationStatus } from '@svc/contract/conversations';
import { statusOf } from '../conversation-status.ts';

/** What a state is called where it stands alone: `Waits for approval`. */
export function stateName(status: string): string {
  const text = statusOf({ status: status as ConversationStatus, needs_human: null })?.text ?? status;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
