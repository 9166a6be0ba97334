import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Strict, Timestamp, Uuid } from './common.ts';

/** Every kind of change that the audit log records: the kind of object, and what was done to it. */
export const auditActions = [
  'bot.created',
  'bot.updated',
  'bot.deactivated',
  'bot.restored',
  'tool.created',
  'tool.updated',
  'tool.deleted',
  'tool.tested',
  'hook.created',
  'hook.updated',
  'hook.deleted',
  'hook.ran',
  'number.created',
  'number.updated',
  'number.deleted',
  'number.assigned',
  'number.unassigned',
  'knowledge.added',
  'knowledge.updated',
  'knowledge.refreshed',
  'knowledge.removed',
  'knowledge.restored',
  'knowledge.deleted',
  'widget_key.created',
  'widget_key.updated',
  'widget_key.revoked',
  'widget.updated',
  'key.created',
  'key.revoked',
  'machine.paired',
  'machine.updated',
  'machine.revoked',
  'member.joined',
  'member.updated',
  'member.removed',
  'invitation.created',
  'invitation.revoked',
  'workspace.created',
  'workspace.updated',
  'approval.answered',
  'approval_grant.created',
  'approval_grant.revoked',
  'conversation.updated',
  'conversation.truncated',
  'conversation.deleted',
  'end_user.erased',
  'end_user.revoked',
  'end_user.updated',
  'retention.updated',
  'retention.deleted',
  'inbox.updated',
  'canned_reply.created',
  'canned_reply.updated',
  'canned_reply.deleted',
  'conversation_view.created',
  'conversation_view.deleted',
  'legal_hold.placed',
  'legal_hold.released',
  'scenario.created',
  'scenario.updated',
  'scenario.deleted',
  'job.retried',
] as const;
export type AuditAction = (typeof auditActions)[number];

export const auditActors = ['member', 'key', 'link', 'command', 'service'] as const;
export type AuditActorType = (typeof auditActors)[number];

export const AuditActor = Type.Object({
  type: OneOf<AuditActorType[]>([...auditActors], {
    description:
      '`member`: somebody in the console. `key`: an account key. `link`: somebody with the link of an approval, whose `name` is the address that it was sent to. `command`: the operator of the server.',
  }),
  id: Nullable(Uuid),
  name: Nullable(Type.String()),
});

const Value = Type.Unsafe<unknown>({ description: 'Long texts are cut around what changed.' });

export const AuditEntry = Type.Object(
  {
    id: Uuid,
    at: Timestamp,
    actor: AuditActor,
    action: OneOf<AuditAction[]>([...auditActions]),
    object: Type.Object({
      type: Type.String({ examples: ['bot'] }),
      id: Nullable(Type.String()),
      name: Nullable(Type.String({ description: 'What it was called at that time.' })),
    }),
    changes: Type.Array(Type.Object({ field: Type.String(), before: Value, after: Value }), {
      description: 'The fields that changed. Secrets are never part of it, only whether they are set.',
    }),
  },
  {
    $id: 'AuditEntry',
    examples: [
      {
        id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
        at: '2026-11-15T09:30:00.000Z',
        actor: { type: 'member', id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8ea0', name: 'Ada Lovelace' },
        action: 'bot.updated',
        object: { type: 'bot', id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e91', name: 'Support' },
        changes: [{ field: 'temperature', before: 0.7, after: 0.2 }],
      },
    ],
  },
);
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditQuery = Strict({
  actor: Type.Optional(Type.String({ ...Uuid, description: 'The id of a member or of an account key.' })),
  action: Type.Optional(
    Type.String({
      maxLength: 60,
      description: 'An action such as `bot.updated`, or a kind of object such as `bot`.',
      examples: ['bot.updated'],
    }),
  ),
  object: Type.Optional(Type.String({ maxLength: 200, description: 'The id of an object.' })),
  before: Type.Optional(
    Type.String({
      ...Uuid,
      description: 'The last entry of the previous page, as the Link header gives it.',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
});
export type AuditQuery = Static<typeof AuditQuery>;
