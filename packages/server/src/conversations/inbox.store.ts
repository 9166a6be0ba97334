import type { InboxState, Rating } from '@svc/contract/conversations';
import type { SQL } from 'drizzle-orm';
import { and, eq, isNotNull, isNull, sql } from '../database/drizzle.ts';
import { conversations, messages } from './conversations.tables.ts';

export interface InboxFilter {
  /** `none`: nobody sees to it. */
  assignee?: string | undefined;
  state?: InboxState | undefined;
  rating?: Rating | undefined;
}

/** Indexes have what is assigned, resolved, snoozed and rated, which is little of all there is. */
export function isInInbox(workspaceId: string, { assignee, state, rating }: InboxFilter): SQL | undefined {
  const { assigneeId, resolvedAt, snoozedUntil } = conversations;
  const isAsleep = sql`${snoozedUntil} > now()`;
  const states: Record<InboxState, SQL | undefined> = {
    open: and(isNull(resolvedAt), sql`(${snoozedUntil} is null or ${snoozedUntil} <= now())`),
    snoozed: and(isNull(resolvedAt), isNotNull(snoozedUntil), isAsleep),
    resolved: isNotNull(resolvedAt),
  };
  return and(
    assignee === undefined ? undefined : assignee === 'none' ? isNull(assigneeId) : eq(assigneeId, assignee),
    state && states[state],
    rating &&
      sql`${conversations.id} in (select m.conversation_id from ${messages} m
        where m.workspace_id = ${workspaceId} and m.rating = ${rating} and m.branch_id is null)`,
  );
}
