import type { AuditAction, AuditEntry } from '@svc/contract/audit';
import type { BotTool } from '@svc/contract/bot-versions';

/** What was done, as the rest of a sentence that begins with the actor. */
const verbs: Record<AuditAction, string> = {
  'bot.created': 'created the bot',
  'bot.updated': 'changed the bot',
  'bot.deactivated': 'deactivated the bot',
  'bot.restored': 'restored an earlier version of the bot',
  'tool.created': 'created the tool',
  'tool.updated': 'changed the tool',
  'tool.deleted': 'deleted the tool',
  'tool.tested': 'tested the tool',
  'hook.created': 'added a post-call hook',
  'hook.updated': 'changed a post-call hook',
  'hook.deleted': 'deleted a post-call hook',
  'hook.ran': 'ran after a call the tool',
  'number.created': 'added the phone number',
  'number.updated': 'changed the phone number',
  'number.deleted': 'removed the phone number',
  'number.assigned': 'assigned to the workspace the phone number',
  'number.unassigned': 'took from the workspace the phone number',
  'knowledge.added': 'added the source',
  'knowledge.updated': 'changed the source',
  'knowledge.refreshed': 'refreshed the source',
  'knowledge.removed': 'moved to the trash the source',
  'knowledge.restored': 'restored the source',
  'knowledge.deleted': 'deleted for good the source',
  'widget_key.created': 'created the widget key',
  'widget_key.updated': 'changed the widget key',
  'widget_key.revoked': 'revoked the widget key',
  'widget.updated': 'changed the look of the widget of',
  'key.created': 'created the key',
  'key.revoked': 'revoked the key',
  'machine.paired': 'paired the machine',
  'machine.updated': 'changed who may use the machine',
  'machine.revoked': 'revoked the machine',
  'member.joined': 'joined the workspace',
  'member.updated': 'changed the member',
  'member.removed': 'removed the member',
  'invitation.created': 'created an invitation',
  'invitation.revoked': 'revoked an invitation',
  'workspace.created': 'created the workspace',
  'workspace.updated': 'changed the workspace',
  'approval.answered': 'answered the request to call',
  'approval_grant.created': 'allowed from now on',
  'approval_grant.revoked': 'no longer allows',
  'conversation.updated': 'changed a conversation',
  'conversation.truncated': 'truncated a conversation',
  'conversation.deleted': 'deleted a conversation',
  'end_user.erased': 'erased an end user',
  'end_user.revoked': 'ended the sessions of an end user',
  'end_user.updated': 'corrected the name or email of an end user',
  'retention.updated': 'changed how long data is kept',
  'retention.deleted': 'deleted what was older than it is kept',
  'inbox.updated': 'changed how conversations are shared',
  'canned_reply.created': 'created the canned reply',
  'canned_reply.updated': 'changed the canned reply',
  'canned_reply.deleted': 'deleted the canned reply',
  'conversation_view.created': 'saved the view of conversations',
  'conversation_view.deleted': 'deleted the view of conversations',
  'legal_hold.placed': 'placed a legal hold',
  'legal_hold.released': 'released a legal hold',
  'scenario.created': 'created the scenario',
  'scenario.updated': 'changed the scenario',
  'scenario.deleted': 'deleted the scenario',
  'job.retried': 'retried a failed job',
};

/** The kinds of objects, as the filter names them. */
export const auditKinds: { value: string; label: string }[] = [
  { value: 'bot', label: 'Bots' },
  { value: 'tool', label: 'Tools' },
  { value: 'knowledge', label: 'Knowledge' },
  { value: 'widget_key', label: 'Widget keys' },
  { value: 'widget', label: 'Widget looks' },
  { value: 'key', label: 'Account keys' },
  { value: 'member', label: 'Members' },
  { value: 'invitation', label: 'Invitations' },
  { value: 'workspace', label: 'Workspace' },
  { value: 'machine', label: 'Machines' },
  { value: 'approval', label: 'Approvals' },
  { value: 'approval_grant', label: 'Standing approvals' },
  { value: 'conversation', label: 'Conversations' },
  { value: 'end_user', label: 'End users' },
  { value: 'retention', label: 'Retention' },
  { value: 'inbox', label: 'Inbox' },
  { value: 'canned_reply', label: 'Canned replies' },
  { value: 'conversation_view', label: 'Views of conversations' },
  { value: 'legal_hold', label: 'Legal holds' },
  { value: 'scenario', label: 'Scenarios' },
  { value: 'hook', label: 'Post-call hooks' },
  { value: 'number', label: 'Phone numbers' },
  { value: 'job', label: 'Jobs' },
];

export function verbOf(action: AuditAction): string {
  return verbs[action] ?? action;
}

export function actorName({ type, name, id }: AuditEntry['actor']): string {
  if (type === 'member') return name ?? 'A member';
  if (type === 'key') return `Key ${name ?? id?.slice(-6) ?? ''}`.trim();
  const names = {
    link: `Somebody with the approval link${name ? ` sent to ${name}` : ''}`,
    command: 'The operator of the server',
    service: 'The service',
  };
  return names[type];
}

const paths: Partial<Record<string, string>> = {
  bot: '/bots/{id}/prompt',
  widget: '/widgets/{id}',
  widget_key: '/widgets/{bot}',
  scenario: '/bots/{bot}/evaluations',
  tool: '/tools/{id}',
  knowledge: '/knowledge/{id}',
  approval: '/approvals/{id}',
  conversation: '/conversations/{id}',
  machine: '/machines',
  key: '/settings/keys',
  member: '/settings/members',
  invitation: '/settings/members',
  workspace: '/settings/workspace',
  job: '/settings/system',
};

/** The page of an object below the workspace; undefined where there is none. */
export function pathOf({ object: { type, id }, changes }: AuditEntry): string | undefined {
  if (id === null) return undefined;
  const bot = changes.find(({ field }) => field === 'bot_id');
  const botId = bot?.after ?? bot?.before;
  const path = paths[type]?.replace('{id}', id);
  if (!path?.includes('{bot}')) return path;
  return typeof botId === 'string' ? path.replace('{bot}', botId) : undefined;
}

/** What people call the values of a field that are names in the API. */
const words: Record<string, Record<string, string>> = {
  status: {
    pending: 'waiting',
    approved_edited: 'approved with changes',
    cancelled: 'withdrawn',
    expired: 'no longer valid',
  },
  ask_details: {
    before_chat: 'before the first message',
    outside_hours: 'before the first message, outside office hours',
  },
};

type Change = AuditEntry['changes'][number];

/** Both sides of a change in words; `before` is left out where the log has only that something was changed. */
export function changeTexts(
  { field, before, after }: Change,
  nameOfTool: (assigned: AssignedTool) => string,
): { before?: string; after: string } {
  // The values belong to a conversation or an end user, and end with them.
  if (before === null && after === 'changed') return { after };
  const [one, other] = [before, after].map((value) => {
    if (field === 'tools' && Array.isArray(value)) return valueText(value.map(nameOfTool));
    return (typeof value === 'string' && words[field]?.[value]) || valueText(value);
  }) as [string, string];
  // Such as the instructions of one of the tools.
  return one === other ? { after: 'changed' } : { before: one, after: other };
}

export type AssignedTool = Pick<BotTool, 'tool_type' | 'tool_configuration_id'>;

export const nothing = 'nothing';

/** A value on one line, as people write it. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return nothing;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object'))
    return value.join(', ') || nothing;
  return JSON.stringify(value);
}
