import type { Admission } from './admission.ts';

/** An admission, as the values that its statement takes. */
export function admissionValues(workspaceId: string, admission: Admission): unknown[] {
  const { lease, message, newConversation, greeting } = admission;
  const values = [
    lease.turnId,
    workspaceId,
    lease.conversationId,
    lease.botId,
    lease.nodeId,
    [admission.replyId],
    JSON.stringify(lease.options),
    JSON.stringify(admission.events),
    message.id,
    message.content,
    message.createdAt.toISOString(),
    lease.isMetered,
    admission.botRevision,
  ];
  if (!newConversation) return values;
  const { externalUserId, title, metadata } = newConversation;
  return [
    ...values,
    lease.channel,
    externalUserId,
    title,
    metadata,
    greeting?.id ?? null,
    greeting?.content ?? null,
  ];
}
