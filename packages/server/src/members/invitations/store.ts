import type { Queryable, Transaction } from '../../database/database.ts';
import { and, asc, eq, gt, isNull } from '../../database/drizzle.ts';
import type { LinkRow } from '../store.ts';
import { memberLinks } from '../tables.ts';

/** The invitations of a workspace. What was sent by mail for an open one is a part of it, and deleted with it. */
export const invitationStore = {
  list(query: Queryable, workspaceId: string, now: Date): Promise<LinkRow[]> {
    return query
      .select()
      .from(memberLinks)
      .where(and(isInvitation(workspaceId), gt(memberLinks.expiresAt, now)))
      .orderBy(asc(memberLinks.createdAt), asc(memberLinks.id));
  },

  /** Those that a person has made. */
  listBy(query: Queryable, workspaceId: string, userId: string): Promise<LinkRow[]> {
    return query
      .select()
      .from(memberLinks)
      .where(and(isInvitation(workspaceId), eq(memberLinks.createdBy, userId)))
      .orderBy(asc(memberLinks.createdAt), asc(memberLinks.id));
  },

  async delete(tx: Transaction, workspaceId: string, id: string): Promise<boolean> {
    const rows = await tx
      .delete(memberLinks)
      .where(and(isInvitation(workspaceId), eq(memberLinks.id, id)))
      .returning({ id: memberLinks.id });
    return rows.length > 0;
  },
};

function isInvitation(workspaceId: string) {
  return and(
    eq(memberLinks.purpose, 'invitation'),
    eq(memberLinks.workspaceId, workspaceId),
    isNull(memberLinks.openedFrom),
  );
}
