import type { ListedConversation } from '@svc/contract/console-conversations';
import { personName } from '../../format/person-name.ts';

/** Something new in a conversation that concerns the member. */
export interface News {
  title: string;
  body: string;
}

/** What was known of a conversation before. */
export interface Known {
  messageAt: number;
  waitingAt: number;
  /** The member is mentioned, and has not opened it since. */
  isMentioned: boolean;
}

/** Of a conversation that was not heard of since the page was opened: what is older than that is not new. */
export const knownSince = (at: number): Known => ({ messageAt: at, waitingAt: at, isMentioned: false });

export function knownOf(row: ListedConversation, before: Known, userId: string): Known {
  return {
    messageAt: Math.max(before.messageAt, timeOf(row.last_message_at)),
    waitingAt: Math.max(before.waitingAt, timeOf(row.needs_human?.at)),
    isMentioned: row.unread_mentions?.includes(userId) ?? false,
  };
}

/** What has become new with this change, if it concerns the member: what is theirs, and what waits for anybody. */
export function newsOf(row: ListedConversation, before: Known, userId: string): News | undefined {
  const { assignee, needs_human: needsHuman, external_user_id: user, preview } = row;
  const isMine = assignee === userId;
  const waitsForAnybody = assignee === null && needsHuman !== null && row.state === 'open';
  const person = user === null ? 'Somebody' : personName(user, row.user_name);
  const known = knownOf(row, before, userId);
  if (known.isMentioned && !before.isMentioned)
    return { title: 'You were mentioned', body: `${person}: ${row.title}` };
  if ((isMine || waitsForAnybody) && needsHuman && known.waitingAt > before.waitingAt)
    return { title: `${person} waits for a person`, body: needsHuman.reason || row.title };
  if ((isMine || waitsForAnybody) && row.preview_role === 'user' && known.messageAt > before.messageAt)
    return { title: person, body: preview ?? '' };
  return undefined;
}

function timeOf(at: string | null | undefined): number {
  return at ? Date.parse(at) : 0;
}
