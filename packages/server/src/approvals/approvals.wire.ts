import type { GrantOffer } from '@svc/contract/approval-grants';
import { approvalTitle } from '@svc/contract/approval-title';
import type { Approval, ApprovalDetail } from '@svc/contract/approvals';
import type { NewEvent } from '../events/event.ts';
import { nameOfResolver } from './answered-by.ts';
import type { ApprovalRow, NamedApproval } from './approvals.store.ts';

export function toWire(row: ApprovalRow): Approval {
  return {
    id: row.id,
    conversation_id: row.conversationId,
    turn_id: row.turnId,
    bot_id: row.botId,
    tool_call_id: row.toolCallId,
    tool_type: row.toolType,
    tool_name: row.toolName,
    title: titleOf(row),
    title_template: row.titleTemplate,
    arguments: row.arguments,
    arguments_schema: row.argumentsSchema,
    status: row.status,
    reason: row.reason,
    context: row.context,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    resolved_at: row.resolvedAt?.toISOString() ?? null,
    resolved_by: row.resolvedBy,
    ...(row.isQuestion && { is_question: true }),
    grant_offer: toOffer(row.grantable),
    ...(row.toolGrantable && { tool_grant_offered: true }),
    grant_id: row.grantId,
  };
}

/** What the call would do, in a sentence. */
export function titleOf(
  row: Pick<ApprovalRow, 'titleTemplate' | 'context' | 'arguments' | 'argumentsSchema' | 'editedArguments'>,
): string | null {
  return approvalTitle({
    title_template: row.titleTemplate,
    context: row.context,
    arguments: row.arguments,
    arguments_schema: row.argumentsSchema,
    edited_arguments: row.editedArguments,
  });
}

function toOffer(grantable: ApprovalRow['grantable']): GrantOffer | null {
  if (!grantable) return null;
  const { kind, directory } = grantable;
  return { kind, directory, command: kind === 'command' ? grantable.command : null };
}

export function toDetail(row: NamedApproval): ApprovalDetail {
  return {
    ...toWire(row),
    bot_name: row.botName,
    channel: row.channel,
    external_user_id: row.externalUserId,
    user_name: row.userName,
    edited_arguments: row.editedArguments,
    resolved_by_name: nameOfResolver(row),
  };
}

export function resolvedEvents(rows: ApprovalRow[]): NewEvent[] {
  return rows.map((row) => ({ type: 'approval.resolved', data: { approval: toWire(row) } }));
}
