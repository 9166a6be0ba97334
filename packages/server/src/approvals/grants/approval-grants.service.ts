import type { ApprovalGrant, GrantScope, GrantsQuery } from '@svc/contract/approval-grants';
import { recordChange } from '../../audit/audit.service.ts';
import type { Transaction } from '../../database/database.ts';
import { inPages, type ListPages } from '../../database/list-page.ts';
import { AppError, invalid, notFound } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import type { Services } from '../../services.ts';
import type { Grantable } from '../../tools/tools.service.ts';
import { resolverId, resolvers } from '../answered-by.ts';
import type { ApprovalRow } from '../approvals.store.ts';
import { type GrantedTurn, type GrantRow, grantStore, type NamedGrant } from './approval-grants.store.ts';
import { isCovered } from './is-covered.ts';

export type ApprovalGrants = ReturnType<typeof createApprovalGrants>;

/** What people allowed together with a call, so that they are not asked about the next one. */
export function createApprovalGrants({
  database,
  clock,
  conversations,
  machines,
}: Pick<Services, 'clock' | 'conversations' | 'database' | 'machines'>) {
  return {
    /** Those that still count, oldest first. */
    async *list(workspaceId: string, query: GrantsQuery): ListPages<ApprovalGrant> {
      if (query.conversation_id !== undefined) await conversations.getRow(workspaceId, query.conversation_id);
      return yield* inPages(
        (after) => grantStore.listPage(database.within(workspaceId), workspaceId, query, after),
        (rows) => rows.map(toWireGrant),
      );
    },

    /** Stores what an approval offers, in the transaction of its answer. */
    async create(tx: Transaction, row: ApprovalRow, scope: GrantScope, by: string): Promise<GrantRow> {
      const { grantable, workspaceId, conversationId, botId, toolName } = row;
      const granterId = resolverId(by);
      if (!grantable || granterId === undefined) throw invalid('grant', 'is not offered for this call');
      const isMember = by === resolvers.member(granterId);
      const grant: GrantRow = {
        id: newId(),
        workspaceId,
        conversationId,
        botId,
        machineId: grantable.machineId,
        scope,
        kind: grantable.kind,
        directory: grantable.directory,
        command: grantable.kind === 'command' ? grantable.command : null,
        actsFor: grantable.actsFor,
        memberId: isMember ? granterId : null,
        keyId: isMember ? null : granterId,
        createdAt: clock.now(),
      };
      await grantStore.insert(tx, workspaceId, grant);
      await recordChange(tx, workspaceId, {
        action: 'approval_grant.created',
        object: { id: grant.id, name: toolName },
        after: audited(grant),
      });
      return grant;
    },

    /** The grants that cover calls of a turn, by the position of the call. */
    async findCovering(
      turn: GrantedTurn,
      calls: readonly (Grantable | undefined)[],
    ): Promise<(GrantRow | undefined)[]> {
      const machineIds = new Set(calls.flatMap((call) => call?.machineId ?? []));
      if (machineIds.size === 0) return calls.map(() => undefined);
      const query = database.within(turn.workspaceId);
      const grants = await grantStore.listFor(query, turn.workspaceId, turn, [...machineIds]);
      const usable: GrantRow[] = [];
      for (const grant of grants) if (await mayStillUse(grant)) usable.push(grant);
      return calls.map((call) => call && usable.find((grant) => isCovered(call, grant)));
    },

    async revoke(workspaceId: string, id: string): Promise<void> {
      await database.within(workspaceId).transaction(async (tx) => {
        const grant = await grantStore.delete(tx, workspaceId, id);
        if (!grant) throw notFound();
        await recordChange(tx, workspaceId, {
          action: 'approval_grant.revoked',
          object: { id: grant.id, name: grant.command ?? grant.directory },
          before: audited(grant),
        });
      });
    },
  };

  /** The owner of the machine may have withdrawn it from whoever gave the grant. */
  async function mayStillUse({ workspaceId, machineId, memberId, keyId }: GrantRow): Promise<boolean> {
    try {
      const callerId = memberId ?? keyId ?? undefined;
      await machines.requireUse(workspaceId, machineId, { callerId, botId: undefined });
      return true;
    } catch (error) {
      if (error instanceof AppError && (error.code === 'FORBIDDEN' || error.code === 'NOT_FOUND'))
        return false;
      throw error;
    }
  }
}

/** The member or key that is named as having approved what a grant covers. */
export function granterOf({ memberId, keyId }: Pick<GrantRow, 'memberId' | 'keyId'>): string {
  return memberId === null ? resolvers.key(keyId ?? '') : resolvers.member(memberId);
}

function audited({ scope, kind, directory, command, machineId, botId }: GrantRow): object {
  return { scope, kind, directory, command, machine_id: machineId, bot_id: botId };
}

function toWireGrant(row: NamedGrant): ApprovalGrant {
  return {
    id: row.id,
    kind: row.kind,
    directory: row.directory,
    command: row.command,
    scope: row.scope,
    machine_id: row.machineId,
    machine_name: row.machineName,
    bot_id: row.botId,
    bot_name: row.botName,
    conversation_id: row.conversationId,
    created_at: row.createdAt.toISOString(),
    created_by: granterOf(row),
    created_by_name: row.creatorName,
  };
}
