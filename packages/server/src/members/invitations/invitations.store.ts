import type { Queryable, Transaction } from '../../database/database.ts';
import { and, asc, eq, gt, isNull, sql } from '../../database/drizzle.ts';
import type { LinkRow } from '../members.store.ts';
import { memberLinks } from '../members.tables.ts';

/** The invitations of a workspace. What was sent by mail for an open one is a part of it, and deleted with it. */
export const invitationStore = {
  list(query: Queryable, workspaceId: string, now: Date): Promise<LinkRow[]> {
    return query
      .select()
      .from(memberLinks)
      .where(and(isInvitation(workspaceId), gt(memberLinks.expiresAt, now)))
      .orderBy(asc(memberLinks.createdAt), asc(memberLinks.id));
  },

  /** Those that a person has made and that work. */
  listBy(query: Queryable, workspaceId: string, userId: string): Promise<LinkRow[]> {
    return query
      .select()
      .from(memberLinks)
      .where(
        and(
          isInvitation(workspaceId),
          eq(memberLinks.createdBy, userId),
          gt(memberLinks.expiresAt, sql`now()`),
        ),
      )
      .orderBy(asc(memberLinks.createdAt), asc(memberLinks.id));
  },

  /** Locks an invitation until the transaction ends. Undefined if it is gone. */
  async lock(tx: Transaction, workspaceId: string, id: string): Promise<LinkRow | undefined> {
    const isIt = and(isInvitation(workspaceId), eq(memberLinks.id, id));
    return (await tx.select().from(memberLinks).where(isIt).for('update'))[0];
  },

  /** Makes what was sent to an address for an open invitation useless. */
  async deleteSent(query: Queryable, workspaceId: string, openedFrom: string, email: string): Promise<void> {
    const { workspaceId: ofWorkspace, openedFrom: from, email: to } = memberLinks;
    await query
      .delete(memberLinks)
      .where(and(eq(ofWorkspace, workspaceId), eq(from, openedFrom), eq(to, email)));
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
