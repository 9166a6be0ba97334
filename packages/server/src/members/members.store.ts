import type { Role } from '@svc/contract/roles';
import type { Queryable, Transaction } from '../database/database.ts';
import { and, asc, eq, gt, sql } from '../database/drizzle.ts';
import { newId } from '../lib/new-id.ts';
import type { StoredLimits } from '../limits/workspace-limits.ts';
import {
  type LinkPurpose,
  memberLinks,
  members,
  userCredentials,
  userSessions,
  users,
} from './members.tables.ts';

export type LinkRow = typeof memberLinks.$inferSelect;
export type NewLink = Omit<typeof memberLinks.$inferInsert, 'id'>;

export interface MemberRow {
  id: string;
  name: string;
  email: string;
  role: Role;
  createdAt: Date;
}

export interface Membership {
  workspaceId: string;
  workspaceName: string;
  /** Every installation has this one. */
  isDefault: boolean;
  role: Role;
}

/** Notifies running nodes that a person's sessions or roles have changed; the payload is the person's id. */
export const membersChannel = 'svc_members';

const storedLimits = sql<StoredLimits>`(select limits from workspaces where id = ${members.workspaceId})`;
const workspaceName = sql<string>`(select name from workspaces where id = ${members.workspaceId})`;
const isDefault = sql<boolean>`(select is_default from workspaces where id = ${members.workspaceId})`;

const memberColumns = {
  id: users.id,
  name: users.name,
  email: users.email,
  role: members.role,
  createdAt: members.createdAt,
};

export const memberStore = {
  async hasUsersAcrossWorkspaces(query: Queryable): Promise<boolean> {
    return (await query.select({ id: users.id }).from(users).limit(1)).length > 0;
  },

  /** Only one transaction at a time gets past this, until it ends. */
  async lockSetUpAcrossWorkspaces(tx: Transaction): Promise<void> {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtext('svc set-up'))`);
  },

  async findUserAcrossWorkspaces(query: Queryable, email: string) {
    const rows = await query.select().from(users).where(eq(users.email, email.toLowerCase()));
    return rows[0];
  },

  /** Locks the person until the transaction ends, so that whoever is being deleted joins nothing. False if there is nobody. */
  async lockUserAcrossWorkspaces(tx: Transaction, userId: string): Promise<boolean> {
    const rows = await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update');
    return rows.length > 0;
  },

  /** False if the email is taken. */
  async insertUserAcrossWorkspaces(
    tx: Transaction,
    user: { id: string; name: string; email: string },
    password: string,
  ): Promise<boolean> {
    const inserted = await tx
      .insert(users)
      .values({ ...user, email: user.email.toLowerCase() })
      .onConflictDoNothing({ target: users.email })
      .returning({ id: users.id });
    if (inserted.length === 0) return false;
    await tx
      .insert(userCredentials)
      .values({ id: newId(), password, userId: user.id, providerId: 'credential', accountId: user.id });
    return true;
  },

  async emailOfAcrossWorkspaces(query: Queryable, userId: string): Promise<string> {
    const rows = await query.select({ email: users.email }).from(users).where(eq(users.id, userId));
    return rows[0]?.email ?? '';
  },

  /** With everything that belongs to the person: sessions, password, links and memberships. */
  async deleteUserAcrossWorkspaces(tx: Transaction, userId: string): Promise<void> {
    await tx.delete(users).where(eq(users.id, userId));
    await memberStore.notifyAcrossWorkspaces(tx, userId);
  },

  async hasSessionAcrossWorkspaces(query: Queryable, sessionId: string, now: Date): Promise<boolean> {
    const rows = await query
      .select({ id: userSessions.id })
      .from(userSessions)
      .where(and(eq(userSessions.id, sessionId), gt(userSessions.expiresAt, now)));
    return rows.length > 0;
  },

  async renameUserAcrossWorkspaces(tx: Transaction, userId: string, name: string): Promise<void> {
    await tx.update(users).set({ name, updatedAt: sql`now()` }).where(eq(users.id, userId));
  },

  async findPasswordAcrossWorkspaces(query: Queryable, userId: string): Promise<string | undefined> {
    const rows = await query
      .select({ password: userCredentials.password })
      .from(userCredentials)
      .where(and(eq(userCredentials.userId, userId), eq(userCredentials.providerId, 'credential')));
    return rows[0]?.password ?? undefined;
  },

  /** Ends the person's sessions, except one. */
  async setPasswordAcrossWorkspaces(
    tx: Transaction,
    userId: string,
    password: string,
    exceptSession?: string,
  ): Promise<void> {
    await tx
      .update(userCredentials)
      .set({ password, updatedAt: sql`now()` })
      .where(and(eq(userCredentials.userId, userId), eq(userCredentials.providerId, 'credential')));
    const others = exceptSession ? sql`${userSessions.id} <> ${exceptSession}` : undefined;
    await tx.delete(userSessions).where(and(eq(userSessions.userId, userId), others));
    await memberStore.notifyAcrossWorkspaces(tx, userId);
  },

  async deleteExpiredAcrossWorkspaces(query: Queryable, now: Date): Promise<void> {
    const at = now.toISOString();
    await query.delete(userSessions).where(sql`${userSessions.expiresAt} < ${at}`);
    await query.delete(memberLinks).where(sql`${memberLinks.expiresAt} < ${at}`);
  },

  /** Oldest first. */
  list(query: Queryable, workspaceId: string): Promise<MemberRow[]> {
    return query
      .select(memberColumns)
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .where(eq(members.workspaceId, workspaceId))
      .orderBy(asc(members.createdAt), asc(users.id));
  },

  listAllAcrossWorkspaces(query: Queryable): Promise<(MemberRow & Membership)[]> {
    return query
      .select({ ...memberColumns, workspaceId: members.workspaceId, workspaceName, isDefault })
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .orderBy(asc(members.workspaceId), asc(members.createdAt));
  },

  listWorkspacesAcrossWorkspaces(query: Queryable, userId: string): Promise<Membership[]> {
    return query
      .select({ workspaceId: members.workspaceId, workspaceName, isDefault, role: members.role })
      .from(members)
      .where(eq(members.userId, userId))
      .orderBy(asc(members.createdAt), asc(members.workspaceId));
  },

  async findMembership(query: Queryable, workspaceId: string, userId: string) {
    const rows = await query
      .select({ role: members.role, limits: storedLimits })
      .from(members)
      .where(and(eq(members.workspaceId, workspaceId), eq(members.userId, userId)));
    return rows[0];
  },

  /** Locks the members of the workspace until the transaction ends, so that two owners cannot leave at the same time. */
  async lock(tx: Transaction, workspaceId: string): Promise<{ userId: string; role: Role }[]> {
    return tx
      .select({ userId: members.userId, role: members.role })
      .from(members)
      .where(eq(members.workspaceId, workspaceId))
      .orderBy(asc(members.userId))
      .for('update');
  },

  /** The role of a member, who keeps it until the transaction ends; undefined if they are not one. */
  async holdRole(tx: Transaction, workspaceId: string, userId: string): Promise<Role | undefined> {
    const rows = await tx
      .select({ role: members.role })
      .from(members)
      .where(isMember(workspaceId, userId))
      .for('share');
    return rows[0]?.role;
  },

  /** False for a person who is already a member, whose role stays. */
  async insert(tx: Transaction, workspaceId: string, userId: string, role: Role): Promise<boolean> {
    const inserted = await tx
      .insert(members)
      .values({ workspaceId, userId, role })
      .onConflictDoNothing()
      .returning({ userId: members.userId });
    await memberStore.notifyAcrossWorkspaces(tx, userId);
    return inserted.length > 0;
  },

  async setRole(tx: Transaction, workspaceId: string, userId: string, role: Role): Promise<void> {
    await tx.update(members).set({ role }).where(isMember(workspaceId, userId));
    await memberStore.notifyAcrossWorkspaces(tx, userId);
  },

  async delete(tx: Transaction, workspaceId: string, userId: string): Promise<void> {
    await tx.delete(members).where(isMember(workspaceId, userId));
    await memberStore.notifyAcrossWorkspaces(tx, userId);
  },

  async insertLinkAcrossWorkspaces(query: Queryable, link: NewLink): Promise<LinkRow> {
    const rows = await query
      .insert(memberLinks)
      .values({ ...link, id: newId() })
      .returning();
    return rows[0] as LinkRow;
  },

  async findLinkAcrossWorkspaces(query: Queryable, purpose: LinkPurpose, tokenHash: Buffer, now: Date) {
    const rows = await query
      .select()
      .from(memberLinks)
      .where(isValid(purpose, tokenHash, now));
    return rows[0];
  },

  /** The link, which does not work again; undefined if it does not work any more. */
  async takeLinkAcrossWorkspaces(tx: Transaction, purpose: LinkPurpose, tokenHash: Buffer, now: Date) {
    const rows = await tx
      .delete(memberLinks)
      .where(isValid(purpose, tokenHash, now))
      .returning();
    return rows[0];
  },

  async deleteLinksAcrossWorkspaces(tx: Transaction, purpose: LinkPurpose, userId?: string): Promise<void> {
    const ofUser = userId ? eq(memberLinks.userId, userId) : undefined;
    await tx.delete(memberLinks).where(and(eq(memberLinks.purpose, purpose), ofUser));
  },

  /** Makes every node check the person's sessions and roles again; within a transaction, when it commits. */
  async notifyAcrossWorkspaces(query: Queryable, userId: string): Promise<void> {
    await query.execute(sql`select pg_notify(${membersChannel}, ${userId})`);
  },
};

function isMember(workspaceId: string, userId: string) {
  return and(eq(members.workspaceId, workspaceId), eq(members.userId, userId));
}

function isValid(purpose: LinkPurpose, tokenHash: Buffer, now: Date) {
  return and(
    eq(memberLinks.purpose, purpose),
    eq(memberLinks.tokenHash, tokenHash),
    gt(memberLinks.expiresAt, now),
  );
}
