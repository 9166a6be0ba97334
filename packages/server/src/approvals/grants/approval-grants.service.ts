import type { ApprovalGrant, GrantsQuery } from '@svc/contract/approval-grants';
import type { ApprovalResponse } from '@svc/contract/approvals';
import { recordChange } from '../../audit/audit.service.ts';
import type { Transaction } from '../../database/database.ts';
import { inPages, type ListPages } from '../../database/list-page.ts';
import { AppError, invalid, notFound } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import type { Services } from '../../services.ts';
import type { Grantable } from '../../tools/tools.service.ts';
import { resolverId, resolvers } from '../answered-by.ts';
import type { ApprovalRow } from '../approvals.store.ts';
import {
  type GrantedTurn,
  type GrantRow,
  grantStore,
  type NamedGrant,
  type NamedToolGrant,
  type ToolGrantRow,
  toolGrantStore,
} from './approval-grants.store.ts';
import { isCovered } from './is-covered.ts';

export type Grant = GrantRow | ToolGrantRow;
export type ApprovalGrants = ReturnType<typeof createApprovalGrants>;

/** What people allowed together with a call, so that they are not asked about the next one. */
export function createApprovalGrants({
  database,
  clock,
  conversations,
  machines,
}: Pick<Services, 'clock' | 'conversations' | 'database' | 'machines'>) {
  return {
    /** Those that still count, oldest first: for machines, and unless the query selects some of them, for tools. */
    async *list(workspaceId: string, query: GrantsQuery): ListPages<ApprovalGrant> {
      const { conversation_id: conversationId, machine_id: machineId } = query;
      if (conversationId !== undefined) await conversations.getRow(workspaceId, conversationId);
      const onMachines = inPages(
        (after) => grantStore.listPage(database.within(workspaceId), workspaceId, query, after),
        (rows) => rows.map(toWireGrant),
      );
      if (conversationId !== undefined || machineId !== undefined) return yield* onMachines;
      const last = yield* onMachines;
      const ofTools = inPages(
        (after) => toolGrantStore.listPage(database.within(workspaceId), workspaceId, after),
        (rows) => rows.map(toWireToolGrant),
      );
      const { value, done } = await ofTools.next();
      if (done) return [...last, ...value];
      yield [...last, ...value];
      return yield* ofTools;
    },

    /** Stores what an approval offers, in the transaction of its answer. */
    async create(
      tx: Transaction,
      row: ApprovalRow,
      { grant: scope, grant_expires_in: expiresIn }: ApprovalResponse,
      by: string,
    ): Promise<Grant> {
      const { grantable, workspaceId, conversationId, botId, toolName } = row;
      const granterId = resolverId(by);
      if (!scope || !grantable || granterId === undefined)
        throw invalid('grant', 'is not offered for this call');
      const isMember = by === resolvers.member(granterId);
      const now = clock.now();
      const given = {
        id: newId(),
        workspaceId,
        botId,
        memberId: isMember ? granterId : null,
        keyId: isMember ? null : granterId,
        createdAt: now,
      };
      let grant: Grant;
      if (grantable.kind === 'tool') {
        const { toolId, revision, offer } = grantable;
        const expiresAt = expiresIn === undefined ? null : new Date(now.getTime() + expiresIn * 1_000);
        grant = { ...given, toolId, revision, offer, toolName, expiresAt };
        await toolGrantStore.insert(tx, workspaceId, grant);
      } else {
        if (scope === 'bot') throw invalid('grant', 'must be conversation or machine');
        const { kind, machineId, directory, actsFor } = grantable;
        const command = kind === 'command' ? grantable.command : null;
        grant = { ...given, conversationId, scope, kind, machineId, directory, command, actsFor };
        await grantStore.insert(tx, workspaceId, grant);
      }
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
    ): Promise<(Grant | undefined)[]> {
      const machineIds = calls.flatMap((call) => (call && call.kind !== 'tool' ? [call.machineId] : []));
      const toolIds = calls.flatMap((call) => (call?.kind === 'tool' ? [call.toolId] : []));
      const { workspaceId, botId } = turn;
      const query = database.within(workspaceId);
      const usable: Grant[] =
        toolIds.length > 0 ? await toolGrantStore.listFor(query, workspaceId, botId, toolIds) : [];
      const onMachines =
        machineIds.length > 0 ? await grantStore.listFor(query, workspaceId, turn, machineIds) : [];
      for (const grant of onMachines) if (await mayStillUse(grant)) usable.push(grant);
      return calls.map((call) => call && usable.find((grant) => isCovered(call, grant)));
    },

    async revoke(workspaceId: string, id: string): Promise<void> {
      await database.within(workspaceId).transaction(async (tx) => {
        const grant: Grant | undefined =
          (await grantStore.delete(tx, workspaceId, id)) ??
          (await toolGrantStore.delete(tx, workspaceId, id));
        if (!grant) throw notFound();
        const name = 'toolId' in grant ? grant.toolName : (grant.command ?? grant.directory);
        await recordChange(tx, workspaceId, {
          action: 'approval_grant.revoked',
          object: { id: grant.id, name },
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
export function granterOf({ memberId, keyId }: Pick<Grant, 'memberId' | 'keyId'>): string {
  return memberId === null ? resolvers.key(keyId ?? '') : resolvers.member(memberId);
}

function audited(grant: Grant): object {
  if ('toolId' in grant) {
    const { toolId, botId, expiresAt } = grant;
    const until = expiresAt?.toISOString() ?? null;
    return { scope: 'bot', kind: 'tool', tool_id: toolId, bot_id: botId, expires_at: until };
  }
  const { scope, kind, directory, command, machineId, botId } = grant;
  return { scope, kind, directory, command, machine_id: machineId, bot_id: botId };
}

function toWireGrant(row: NamedGrant): ApprovalGrant {
  return {
    ...toWireGiven(row),
    kind: row.kind,
    directory: row.directory,
    command: row.command,
    tool_name: null,
    tool_id: null,
    scope: row.scope,
    machine_id: row.machineId,
    machine_name: row.machineName,
    conversation_id: row.conversationId,
    expires_at: null,
  };
}

function toWireToolGrant(row: NamedToolGrant): ApprovalGrant {
  return {
    ...toWireGiven(row),
    kind: 'tool',
    directory: null,
    command: null,
    tool_name: row.toolName,
    tool_id: row.toolId,
    scope: 'bot',
    machine_id: null,
    machine_name: null,
    conversation_id: null,
    expires_at: row.expiresAt?.toISOString() ?? null,
  };
}

function toWireGiven(row: NamedGrant | NamedToolGrant) {
  return {
    id: row.id,
    bot_id: row.botId,
    bot_name: row.botName,
    created_at: row.createdAt.toISOString(),
    created_by: granterOf(row),
    created_by_name: row.creatorName,
  };
}
