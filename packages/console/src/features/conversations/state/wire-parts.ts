import type { Approval, ApprovalDetail } from '@svc/contract/approvals';
import type { ConsoleMessage, ConsoleTurn } from '@svc/contract/console-conversation';
import type { ConversationMessage } from '@svc/contract/conversations';

/** Replaces the entry with the same id, or adds it at the end. */
export function upsert<Entry extends { id: string }>(entries: readonly Entry[], entry: Entry): Entry[] {
  const index = entries.findIndex(({ id }) => id === entry.id);
  return index === -1 ? [...entries, entry] : entries.with(index, entry);
}

/** What it cost is not part of an event: it is known when the conversation is read again. */
export function toConsoleMessage(message: ConversationMessage, turnId: string | null): ConsoleMessage {
  return { ...message, turn_id: turnId, model: null, usage: null, cost_usd: null, withheld: null };
}

/** The person who answered and what they changed are known when the conversation is read again. */
export function toApproval(approval: Approval): ApprovalDetail {
  return approval;
}

export function newTurn(id: string, startedAt: string): ConsoleTurn {
  return {
    id,
    status: 'running',
    started_at: startedAt,
    ended_at: null,
    error: null,
    stopped_by: null,
    bot_version: null,
    model: null,
    usage: { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 },
    cost_usd: '0',
  };
}
