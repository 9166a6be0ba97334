import type { ToolGrant } from '@svc/contract/tool-grants';
import { recordChange } from '../../audit/audit.service.ts';
import type { Transaction } from '../../database/database.ts';
import { inPages, type ListPages } from '../../database/list-page.ts';
import { invalid, notFound } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import type { Services } from '../../services.ts';
import type { ToolGrantable } from '../../tools/tools.service.ts';
import { resolverId, resolvers } from '../answered-by.ts';
import type { ApprovalRow } from '../approvals.store.ts';
import { granterOf } from './approval-grants.service.ts';
import { type NamedToolGrant, type ToolGrantRow, toolGrantStore } from './tool-grants.store.ts';

export type ToolGrants = ReturnType<typeof createToolGrants>;

/** What people allowed together with a call of a tool: all its calls by the same bot. */
export function createToolGrants({ database, clock }: Pick<Services, 'clock' | 'database'>) {
  return {
    /** Those that still count, oldest first. */
    list: (workspaceId: string): ListPages<ToolGrant> =>
      inPages(
        (after) => toolGrantStore.listPage(database.within(workspaceId), workspaceId, after),
        (rows) => rows.map(toWire),
      ),

    /** Stores what an approval offers, in the transaction of its answer; without seconds until it is revoked. */
    async create(
      tx: Transaction,
      { toolGrantable, workspaceId, botId, toolName }: ApprovalRow,
      seconds: number | undefined,
      by: string,
    ): Promise<ToolGrantRow> {
      const granterId = resolverId(by);
      if (!toolGrantable || granterId === undefined) throw invalid('grant', 'is not offered for this call');
      const isMember = by === resolvers.member(granterId);
      const now = clock.now();
      const grant: ToolGrantRow = {
        id: newId(),
        workspaceId,
        botId,
        ...toolGrantable,
        toolName,
        memberId: isMember ? granterId : null,
        keyId: isMember ? null : granterId,
        expiresAt: seconds === undefined ? null : new Date(now.getTime() + seconds * 1_000),
        createdAt: now,
      };
      await toolGrantStore.insert(tx, workspaceId, grant);
      await recordChange(tx, workspaceId, {
        action: 'approval_grant.created',
        object: { id: grant.id, name: toolName },
        after: audited(grant),
      });
      return grant;
    },

    /** The grants that cover calls of a bot, by the position of the call. */
    async findCovering(
      workspaceId: string,
      botId: string,
      calls: readonly (ToolGrantable | undefined)[],
    ): Promise<(ToolGrantRow | undefined)[]> {
      const toolIds = calls.flatMap((call) => call?.toolId ?? []);
      if (toolIds.length === 0) return calls.map(() => undefined);
      const query = database.within(workspaceId);
      const grants = await toolGrantStore.listFor(query, workspaceId, botId, toolIds);
      return calls.map((call) => call && grants.find((grant) => isSameTool(call, grant)));
    },

    async revoke(workspaceId: string, id: string): Promise<void> {
      await database.within(workspaceId).transaction(async (tx) => {
        const grant = await toolGrantStore.delete(tx, workspaceId, id);
        if (!grant) throw notFound();
        await recordChange(tx, workspaceId, {
          action: 'approval_grant.revoked',
          object: { id: grant.id, name: grant.toolName },
          before: audited(grant),
        });
      });
    },
  };
}

/** The same function of the same tool, which does what it did and takes what it took. */
export function isSameTool(one: ToolGrantable, other: ToolGrantable): boolean {
  return one.toolId === other.toolId && one.revision === other.revision && one.offer === other.offer;
}

function audited({ toolId, botId, expiresAt }: ToolGrantRow): object {
  return { kind: 'tool', tool_id: toolId, bot_id: botId, expires_at: expiresAt?.toISOString() ?? null };
}

function toWire(row: NamedToolGrant): ToolGrant {
  return {
    id: row.id,
    tool_id: row.toolId,
    tool_name: row.toolName,
    bot_id: row.botId,
    bot_name: row.botName,
    expires_at: row.expiresAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    created_by: granterOf(row),
    created_by_name: row.creatorName,
  };
}
