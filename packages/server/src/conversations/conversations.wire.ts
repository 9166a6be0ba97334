import type { Conversation } from '@svc/contract/conversations';
import { toWireRun } from '../runs/runs.service.ts';
import type { ConversationRow, MessageRow } from './conversations.store.ts';
import { inboxOf } from './inbox.ts';
import { needsHumanOf } from './needs-human.ts';
import type { Undertaking } from './undertakings.ts';

/** A message holds the arguments that the model proposed; those that ran are stored with the call. */
export function withExecuted(
  message: MessageRow,
  executed: Map<string, Record<string, unknown>>,
): MessageRow {
  if (message.toolCalls.length === 0) return message;
  const toolCalls = message.toolCalls.map((call) => ({
    ...call,
    executed_arguments: executed.get(call.id) ?? null,
  }));
  return { ...message, toolCalls };
}

export function toWire(row: ConversationRow, { run, call }: Undertaking): Conversation {
  return {
    id: row.id,
    tenant_id: row.workspaceId,
    bot_id: row.botId,
    channel: row.channel,
    external_user_id: row.externalUserId,
    title: row.title,
    status: call?.status ?? run?.status ?? row.status,
    metadata: row.metadata,
    needs_human: needsHumanOf(row),
    ...inboxOf(row),
    message_count: row.messageCount,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    last_message_at: row.lastMessageAt?.toISOString() ?? null,
    ...(run && { run: toWireRun(run) }),
    ...(call && { call }),
  };
}
