import type { InboxState } from '@svc/contract/conversations';
import type { ConversationRow } from './conversations.store.ts';

type InboxRow = Pick<
  ConversationRow,
  'assigneeId' | 'resolvedAt' | 'snoozedUntil' | 'labels' | 'unreadMentions'
>;

/** The part of a conversation that people decide. One that was snoozed is open again by itself. */
export function inboxOf(row: InboxRow, now = new Date()) {
  const { assigneeId, resolvedAt, snoozedUntil, labels, unreadMentions } = row;
  const isSnoozed = resolvedAt === null && snoozedUntil !== null && snoozedUntil > now;
  const state: InboxState = resolvedAt ? 'resolved' : isSnoozed ? 'snoozed' : 'open';
  return {
    assignee: assigneeId,
    state,
    snoozed_until: isSnoozed ? snoozedUntil.toISOString() : null,
    labels: labels ?? [],
    unread_mentions: unreadMentions ?? [],
  };
}
