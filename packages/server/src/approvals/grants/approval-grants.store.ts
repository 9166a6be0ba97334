import type { GrantsQuery } from '@svc/contract/approval-grants';
import { roleFor, roles } from '@svc/contract/roles';
import type { Queryable, Transaction } from '../../database/database.ts';
import { and, asc, eq, getTableColumns, inArray, sql } from '../../database/drizzle.ts';
import { type ListCursor, listPage, rowBytes } from '../../database/list-page.ts';
import { approvalGrants, type toolGrants } from './approval-grants.tables.ts';

export type GrantRow = typeof approvalGrants.$inferSelect;

/** The turn whose calls a grant may cover. */
export interface GrantedTurn {
  workspaceId: string;
  conversationId: string;
  botId: string;
  actsFor: string | undefined;
}

const needed = 'approvals:write';
const rolesThatApprove = roles.slice(roles.indexOf(roleFor(needed)));

type Given = typeof approvalGrants | typeof toolGrants;

/** Whoever gave it may still approve. */
export const mayGiverApprove = (grants: Given) => sql`case when ${grants.memberId} is not null
  then exists (select from members
    where members.workspace_id = ${grants.workspaceId} and members.user_id = ${grants.memberId}
      and members.role = any (${sql.param([...rolesThatApprove])}::text[]))
  else exists (select from account_keys
    where account_keys.workspace_id = ${grants.workspaceId} and account_keys.id = ${grants.keyId}
      and account_keys.revoked_at is null
      and (account_keys.expires_at is null or account_keys.expires_at > now())
      and account_keys.abilities && array['all', ${sql.raw(`'${needed}'`)}])
  end`;

const isValid = mayGiverApprove(approvalGrants);

export const giverNameOf = (grants: Given) => sql<string | null>`coalesce(
  (select users.name from users where users.id = ${grants.memberId}),
  (select account_keys.name from account_keys
   where account_keys.workspace_id = ${grants.workspaceId} and account_keys.id = ${grants.keyId}))`;

const named = {
  ...getTableColumns(approvalGrants),
  botName: sql<string>`(select bots.name from bots where bots.id = ${approvalGrants.botId})`,
  machineName: sql<string>`(select machines.name from machines where machines.id = ${approvalGrants.machineId})`,
  creatorName: giverNameOf(approvalGrants),
};
export type NamedGrant = GrantRow & { botName: string; machineName: string; creatorName: string | null };

export const grantStore = {
  async insert(tx: Transaction, workspaceId: string, row: Omit<GrantRow, 'workspaceId'>): Promise<void> {
    await tx.insert(approvalGrants).values({ ...row, workspaceId });
  },

  /**
   * Those that count for calls of this turn on these machines: given in its conversation, or for the machine in a conversation
   * of the same end user; always for the same bot and the same sender.
   */
  listFor(
    query: Queryable,
    workspaceId: string,
    { conversationId, botId, actsFor }: GrantedTurn,
    machineIds: readonly string[],
  ): Promise<GrantRow[]> {
    const isSameUser = sql`exists (
      select from conversations here join conversations there
        on there.external_user_id is not distinct from here.external_user_id and there.channel = here.channel
      where here.id = ${conversationId} and here.workspace_id = ${workspaceId}
        and there.id = ${approvalGrants.conversationId} and there.workspace_id = ${workspaceId})`;
    return query
      .select()
      .from(approvalGrants)
      .where(
        and(
          eq(approvalGrants.workspaceId, workspaceId),
          eq(approvalGrants.botId, botId),
          inArray(approvalGrants.machineId, [...machineIds]),
          sql`${approvalGrants.actsFor} is not distinct from ${actsFor ?? null}::uuid`,
          sql`(${approvalGrants.conversationId} = ${conversationId}
            or (${approvalGrants.scope} = 'machine' and ${isSameUser}))`,
          isValid,
        ),
      )
      .orderBy(asc(approvalGrants.id));
  },

  /** Those that still count, oldest first. */
  listPage(
    query: Queryable,
    workspaceId: string,
    { conversation_id: conversationId, machine_id: machineId }: GrantsQuery,
    after: ListCursor | undefined,
  ) {
    const { page, isOnPage, part } = listPage(approvalGrants, {
      order: [approvalGrants.id],
      filter: and(
        eq(approvalGrants.workspaceId, workspaceId),
        conversationId === undefined ? undefined : eq(approvalGrants.conversationId, conversationId),
        machineId === undefined ? undefined : eq(approvalGrants.machineId, machineId),
        isValid,
      ),
      after,
      bytes: rowBytes([approvalGrants.directory, approvalGrants.command], []),
    });
    return query
      .select({ ...named, ...part })
      .from(approvalGrants)
      .innerJoin(page, isOnPage)
      .orderBy(asc(approvalGrants.id));
  },

  async delete(tx: Transaction, workspaceId: string, id: string): Promise<GrantRow | undefined> {
    const rows = await tx
      .delete(approvalGrants)
      .where(and(eq(approvalGrants.id, id), eq(approvalGrants.workspaceId, workspaceId)))
      .returning();
    return rows[0];
  },
};
