import type { Queryable, Transaction } from '../database/database.ts';
import { and, asc, desc, eq, getTableColumns, inArray, lte, ne, sql } from '../database/drizzle.ts';
import { type ListCursor, listPage, type PagePart, rowBytes } from '../database/list-page.ts';
import { approvals } from './approvals.tables.ts';

export type ApprovalRow = typeof approvals.$inferSelect;
export type NewApproval = Omit<ApprovalRow, 'workspaceId' | keyof Resolution>;
export type Resolution = Pick<
  ApprovalRow,
  'status' | 'editedArguments' | 'reason' | 'resolvedAt' | 'resolvedBy' | 'grantId'
>;

/** Which of a workspace's approvals to list. */
export interface ApprovalFilter {
  conversationId?: string | undefined;
  botId?: string | undefined;
  toolName?: string | undefined;
}

/** The last approval of a page of resolved ones. */
export interface ResolvedCursor {
  resolvedAt: Date;
  id: string;
}

/** An approval with the names of what it refers to. */
export type NamedApproval = ApprovalRow & {
  botName: string;
  channel: string;
  externalUserId: string | null;
  userName: string | null;
  /** Of the member or key that answered; a person who has left the workspace keeps it. */
  resolverName: string | null;
};

const ofConversation = (column: string) =>
  sql`(select ${sql.identifier(column)} from conversations c where c.id = ${approvals.conversationId})`;
const resolverId = sql`split_part(${approvals.resolvedBy}, ':', 2)::uuid`;
const namedColumns = {
  ...getTableColumns(approvals),
  botName: sql<string>`(select b.name from bots b where b.id = ${approvals.botId})`,
  channel: sql<string>`${ofConversation('channel')}`,
  externalUserId: sql<string | null>`${ofConversation('external_user_id')}`,
  userName: sql<string | null>`(select d.name from end_user_details d
    where d.workspace_id = ${approvals.workspaceId} and d.external_user_id = ${ofConversation('external_user_id')})`,
  resolverName: sql<string | null>`case split_part(${approvals.resolvedBy}, ':', 1)
    when 'member' then (select u.name from users u where u.id = ${resolverId})
    when 'key' then (
      select k.name from account_keys k where k.id = ${resolverId} and k.workspace_id = ${approvals.workspaceId})
  end`,
};

export const approvalStore = {
  async insert(tx: Transaction, workspaceId: string, rows: (NewApproval & Resolution)[]): Promise<void> {
    await tx.insert(approvals).values(rows.map((row) => ({ ...row, workspaceId })));
  },

  /** Oldest first. */
  listPendingPage(
    query: Queryable,
    workspaceId: string,
    filter: ApprovalFilter,
    after: ListCursor | undefined,
  ): Promise<(NamedApproval & PagePart)[]> {
    const { page, isOnPage, part } = listPage(approvals, {
      order: [approvals.id],
      filter: and(eq(approvals.status, 'pending'), isWanted(workspaceId, filter)),
      after,
      bytes: rowBytes(
        [],
        [approvals.arguments, approvals.argumentsSchema, approvals.context, approvals.basis],
      ),
    });
    return query
      .select({ ...namedColumns, ...part })
      .from(approvals)
      .innerJoin(page, isOnPage)
      .orderBy(asc(approvals.id));
  },

  /** Whatever their state, oldest first. */
  listOfConversation(query: Queryable, workspaceId: string, id: string): Promise<NamedApproval[]> {
    return query
      .select(namedColumns)
      .from(approvals)
      .where(isWanted(workspaceId, { conversationId: id }))
      .orderBy(asc(approvals.id));
  },

  /** Newest answer first. */
  listResolved(
    query: Queryable,
    workspaceId: string,
    filter: ApprovalFilter,
    { before, limit }: { before: ResolvedCursor | undefined; limit: number },
  ): Promise<NamedApproval[]> {
    const place = sql`(${approvals.resolvedAt}, ${approvals.id})`;
    return query
      .select(namedColumns)
      .from(approvals)
      .where(
        and(
          ne(approvals.status, 'pending'),
          isWanted(workspaceId, filter),
          before && sql`${place} < (${before.resolvedAt.toISOString()}::timestamptz, ${before.id}::uuid)`,
        ),
      )
      .orderBy(desc(approvals.resolvedAt), desc(approvals.id))
      .limit(limit);
  },

  listOfTurn(query: Queryable, workspaceId: string, turnId: string): Promise<ApprovalRow[]> {
    return query
      .select()
      .from(approvals)
      .where(and(eq(approvals.turnId, turnId), eq(approvals.workspaceId, workspaceId)))
      .orderBy(asc(approvals.id));
  },

  /** Concurrent answers wait here, and then find the approval answered. */
  async lock(tx: Transaction, workspaceId: string, id: string): Promise<ApprovalRow | undefined> {
    const rows = await tx
      .select()
      .from(approvals)
      .where(and(eq(approvals.id, id), eq(approvals.workspaceId, workspaceId)))
      .for('update');
    return rows[0];
  },

  async find(query: Queryable, workspaceId: string, id: string): Promise<NamedApproval | undefined> {
    const rows = await query
      .select(namedColumns)
      .from(approvals)
      .where(and(eq(approvals.id, id), eq(approvals.workspaceId, workspaceId)));
    return rows[0];
  },

  /** The pending ones of a turn. Those that are being answered at the moment are left out. */
  lockOthersPending(tx: Transaction, { workspaceId, turnId, id }: ApprovalRow): Promise<ApprovalRow[]> {
    return tx
      .select()
      .from(approvals)
      .where(
        and(
          eq(approvals.turnId, turnId),
          eq(approvals.workspaceId, workspaceId),
          eq(approvals.status, 'pending'),
          ne(approvals.id, id),
        ),
      )
      .orderBy(asc(approvals.id))
      .for('update', { skipLocked: true });
  },

  /** Resolves those that are pending, and returns them. */
  resolve(tx: Transaction, workspaceId: string, ids: string[], resolution: Resolution) {
    return change(tx, workspaceId, ids, ['pending'], resolution);
  },

  /** Revokes approved calls that have not run, and returns them. A person's edits are kept. */
  revoke(
    tx: Transaction,
    workspaceId: string,
    ids: string[],
    { editedArguments: _kept, ...resolution }: Resolution,
  ): Promise<ApprovalRow[]> {
    return change(tx, workspaceId, ids, ['approved', 'approved_edited'], resolution);
  },

  /** Without questions of tools that run, for which no turn is paused. */
  async countPending(
    query: Queryable,
    workspaceId: string,
    { turnId, conversationId }: { turnId?: string; conversationId?: string },
  ): Promise<number> {
    const rows = await query
      .select({ count: sql<number>`count(*)::int` })
      .from(approvals)
      .where(
        and(
          eq(approvals.workspaceId, workspaceId),
          eq(approvals.status, 'pending'),
          eq(approvals.isQuestion, false),
          turnId === undefined ? undefined : eq(approvals.turnId, turnId),
          conversationId === undefined ? undefined : eq(approvals.conversationId, conversationId),
        ),
      );
    return rows[0]?.count ?? 0;
  },

  listExpiredAcrossWorkspaces(query: Queryable, now: Date, limit: number): Promise<ApprovalRow[]> {
    return query
      .select()
      .from(approvals)
      .where(and(eq(approvals.status, 'pending'), lte(approvals.expiresAt, now)))
      .limit(limit);
  },

  /** Of every turn that is not over, locked for a change of the encryption key. The others are never read again. */
  async lockFingerprintsAcrossWorkspaces(tx: Transaction) {
    const { id, workspaceId, fingerprint, turnId } = approvals;
    const rows = await tx
      .select({ id, workspaceId, fingerprint })
      .from(approvals)
      .where(sql`${turnId} in (select id from turns where status in ('running', 'paused'))`)
      .for('update');
    return rows.flatMap((row) => (row.fingerprint ? [{ ...row, fingerprint: row.fingerprint }] : []));
  },

  async replaceFingerprint(tx: Transaction, workspaceId: string, id: string, fingerprint: Buffer) {
    await tx
      .update(approvals)
      .set({ fingerprint })
      .where(and(eq(approvals.id, id), eq(approvals.workspaceId, workspaceId)));
  },

  /** For signed links: each names one approval, of any workspace. */
  async findAcrossWorkspaces(query: Queryable, id: string): Promise<ApprovalRow | undefined> {
    const rows = await query.select().from(approvals).where(eq(approvals.id, id));
    return rows[0];
  },
};

function isWanted(workspaceId: string, filter: ApprovalFilter) {
  return and(
    eq(approvals.workspaceId, workspaceId),
    filter.conversationId === undefined ? undefined : eq(approvals.conversationId, filter.conversationId),
    filter.botId === undefined ? undefined : eq(approvals.botId, filter.botId),
    filter.toolName === undefined ? undefined : eq(approvals.toolName, filter.toolName),
  );
}

/** Of these approvals, changes those that still have one of the statuses, and returns them. */
function change(
  tx: Transaction,
  workspaceId: string,
  ids: string[],
  statuses: ApprovalRow['status'][],
  values: Partial<Resolution>,
): Promise<ApprovalRow[]> {
  return tx
    .update(approvals)
    .set(values)
    .where(
      and(
        eq(approvals.workspaceId, workspaceId),
        inArray(approvals.id, ids),
        inArray(approvals.status, statuses),
      ),
    )
    .returning();
}
