import { type Static, Type } from 'typebox';
import { GrantOffer } from './approval-grants.ts';
import { AnyObject, Nullable, OneOf, Strict, Timestamp, Uuid } from './common.ts';
import { UserName } from './conversations.ts';

export const ApprovalStatus = OneOf([
  'pending',
  'approved',
  'approved_edited',
  'denied',
  'cancelled',
  'expired',
]);
export type ApprovalStatus = Static<typeof ApprovalStatus>;

export const ApprovalContext = Type.Union([
  Type.Object({ kind: Type.Literal('diff'), path: Type.String(), diff: Type.String() }),
  Type.Object({
    kind: Type.Literal('command'),
    command: Type.String(),
    cwd: Type.String(),
    machine: Type.String(),
    network: Type.Optional(
      Type.Boolean({ description: 'True if this command may use the network, which others may not.' }),
    ),
  }),
  Type.Object({ kind: Type.Literal('call'), summary: Type.String() }),
]);
export type ApprovalContext = Static<typeof ApprovalContext>;

const approvalExample = {
  id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e95',
  conversation_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e93',
  turn_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e96',
  bot_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
  tool_call_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e97',
  tool_type: 'http_request',
  tool_name: 'refund',
  title: 'Refund 12.5 on order 17',
  title_template: 'Refund {{amount}} on order {{order}}',
  arguments: { order: 17, amount: 12.5 },
  arguments_schema: { type: 'object' },
  status: 'pending',
  reason: null,
  context: { kind: 'call', summary: 'POST https://shop.example.com/refunds' },
  created_at: '2026-11-15T09:30:00.000Z',
  expires_at: '2026-11-16T09:30:00.000Z',
  resolved_at: null,
  resolved_by: null,
};

export const Approval = Type.Object(
  {
    id: Uuid,
    conversation_id: Uuid,
    turn_id: Uuid,
    bot_id: Uuid,
    tool_call_id: Type.String(),
    tool_type: Type.String(),
    tool_name: Type.String(),
    title: Type.Optional(
      Nullable(
        Type.String({
          description:
            "What the call would do, as a sentence: the tool's `approval_title` with the arguments in it, or its name. Null where there is none.",
        }),
      ),
    ),
    title_template: Type.Optional(
      Nullable(
        Type.String({
          description: 'The title before the arguments were put in, with `{{argument}}` in their places.',
        }),
      ),
    ),
    arguments: AnyObject,
    arguments_schema: AnyObject,
    status: ApprovalStatus,
    reason: Nullable(
      Type.String({ description: 'Why it expired, or the reason that the person gave for denying it.' }),
    ),
    context: ApprovalContext,
    created_at: Timestamp,
    expires_at: Timestamp,
    resolved_at: Nullable(Timestamp),
    resolved_by: Nullable(Type.String()),
    is_question: Type.Optional(
      Type.Boolean({
        description:
          'True if a tool that is running asks for something: answer with `approve_edited` and what `arguments_schema` wants.',
      }),
    ),
    grant_offer: Type.Optional(
      Nullable(
        Type.Unsafe<GrantOffer>({
          ...GrantOffer,
          description: 'What `grant` of an answer allows; null if each such call has to be approved.',
        }),
      ),
    ),
    tool_grant_offered: Type.Optional(
      Type.Boolean({
        description: 'True if `"grant": "bot"` of an answer allows all calls of this tool by this bot.',
      }),
    ),
    grant_id: Type.Optional(
      Nullable(
        Type.Unsafe<string>({
          ...Uuid,
          description: 'The grant that approved it, so that nobody was asked.',
        }),
      ),
    ),
  },
  {
    $id: 'Approval',
    examples: [approvalExample],
  },
);
export type Approval = Static<typeof Approval>;

/** An approval with what people need to decide about it, or to know who did. */
export const ApprovalDetail = Type.Object(
  {
    ...Approval.properties,
    bot_name: Type.Optional(Type.String()),
    channel: Type.Optional(Type.String({ description: 'Of its conversation.' })),
    external_user_id: Type.Optional(Nullable(Type.String({ description: 'The end user, if there is one.' }))),
    user_name: Type.Optional(UserName),
    edited_arguments: Type.Optional(
      Nullable(
        Type.Unsafe<Record<string, unknown>>({ ...AnyObject, description: 'What a person changed them to.' }),
      ),
    ),
    resolved_by_name: Type.Optional(
      Nullable(Type.String({ description: 'The name of the member or key, or the approval link.' })),
    ),
  },
  {
    $id: 'ApprovalDetail',
    examples: [
      {
        ...approvalExample,
        status: 'approved_edited',
        resolved_at: '2026-11-15T09:44:00.000Z',
        resolved_by: 'member:0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e99',
        bot_name: 'Support',
        channel: 'chat',
        external_user_id: 'customer-17',
        user_name: 'Mia Meyer',
        title: 'Refund 5 on order 17',
        edited_arguments: { order: 17, amount: 5 },
        resolved_by_name: 'Ada',
      },
    ],
  },
);
export type ApprovalDetail = Static<typeof ApprovalDetail>;

export const ApprovalsQuery = Strict({
  conversation_id: Type.Optional(Type.String({ format: 'uuid' })),
  status: Type.Optional(
    OneOf(['pending', 'resolved'], {
      description:
        'Pending ones, oldest first, or resolved ones, newest first. With it, entries also say which bot asks and who answered.',
    }),
  ),
  bot_id: Type.Optional(Uuid),
  tool: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'The name of the tool, exactly.' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      description: '50 for resolved ones; all pending ones without it.',
    }),
  ),
  before: Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,15}\\.[0-9a-f-]{36}$',
      'x-expected': 'a cursor of the Link header',
      description: 'The cursor of the next page of resolved ones, as the Link header gives it.',
    }),
  ),
});
export type ApprovalsQuery = Static<typeof ApprovalsQuery>;

export const ApprovalResponse = Strict(
  {
    action: OneOf(['approve', 'approve_edited', 'deny']),
    text: Type.Optional(
      Type.String({ maxLength: 4000, description: 'Why it is denied. The model receives this text.' }),
    ),
    edited_args: Type.Optional(AnyObject),
    grant: Type.Optional(
      OneOf(['conversation', 'machine', 'bot'], {
        description:
          'With `approve`: also allows what `grant_offer` says, in this `conversation` or on this `machine`, or, where `tool_grant_offered`, all calls of the tool by this `bot`; until it is revoked.',
      }),
    ),
    grant_expires_in: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 31_536_000,
        description: 'With the grant `bot`: after so many seconds it ends by itself.',
      }),
    ),
  },
  { examples: [{ action: 'approve' }, { action: 'deny', text: 'Ask the customer first.' }] },
);
export type ApprovalResponse = Static<typeof ApprovalResponse>;

export const ApprovalAnswer = Type.Object(
  {
    id: Uuid,
    status: ApprovalStatus,
    grant_id: Type.Optional(
      Type.Unsafe<string>({ ...Uuid, description: 'The grant that was given with it.' }),
    ),
  },
  { examples: [{ id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e95', status: 'approved' }] },
);
export type ApprovalAnswer = Static<typeof ApprovalAnswer>;
