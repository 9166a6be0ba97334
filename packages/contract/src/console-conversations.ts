import { type Static, Type } from 'typebox';
import { type Channel as ChannelName, channelNames } from './channels.ts';
import { knownCost, Nullable, OneOf, Strict, Timestamp, Uuid } from './common.ts';
import {
  Conversation,
  conversationExample,
  conversationStatuses,
  inboxFilters,
  turnStatuses,
  UserName,
} from './conversations.ts';

const { id, tenant_id, bot_id, ...others } = conversationExample;
const example = {
  id,
  tenant_id,
  bot_id,
  bot_name: 'Support',
  assignee_name: null,
  user_name: 'Mia Meyer',
  ...others,
  latest_turn_status: 'completed',
  preview: 'It is in Cologne.',
  preview_role: 'assistant',
  preview_author: null,
  latest_act: null,
};

/** A conversation as the console lists it. */
export const ListedConversation = Type.Object(
  {
    ...Conversation.properties,
    bot_name: Type.String(),
    assignee_name: Nullable(Type.String()),
    user_name: UserName,
    latest_turn_status: Nullable(
      OneOf(turnStatuses, { description: 'How the latest turn went: a chat whose turn failed is `idle`.' }),
    ),
    preview: Nullable(
      Type.String({ description: 'The beginning of the last text that a person or the bot wrote.' }),
    ),
    preview_role: Nullable(OneOf(['user', 'assistant', 'operator'], { description: 'Who wrote it.' })),
    // A node of the previous release leaves out the next two.
    preview_author: Type.Optional(
      Nullable(
        Type.String({ description: 'The name of the person of the team who wrote it, if one was given.' }),
      ),
    ),
    latest_act: Type.Optional(
      Nullable(
        OneOf(['user', 'operator', 'handed_off', 'taken_over'], {
          description:
            'While the bot is silent, what happened last: the user or a person of the team wrote, a person was asked, or a member took over. The user waits for a person after the first and the third. Null otherwise.',
        }),
      ),
    ),
    match: Type.Optional(
      Type.String({ description: 'With `q`: the text around the first place where it was found.' }),
    ),
  },
  { $id: 'ListedConversation', examples: [example] },
);
export type ListedConversation = Static<typeof ListedConversation>;

const filters = {
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'The id of a conversation, a user, or a text of its messages. In quotation marks it is always a text.',
      examples: ['"two weeks"'],
    }),
  ),
  bot_id: Type.Optional(Uuid),
  channel: Type.Optional(OneOf<ChannelName[]>(channelNames)),
  external_user_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  status: Type.Optional(
    OneOf(conversationStatuses, {
      description:
        'Of a chat, any but `idle` means its latest turn: `failed` finds chats whose latest answer failed.',
    }),
  ),
  needs_human: Type.Optional(
    Type.Boolean({ description: 'Only conversations that wait for a person, or only the others.' }),
  ),
  waits: Type.Optional(
    Type.Literal(true, {
      description:
        'Only conversations whose user waits for a person: one was asked and nobody has taken over or answered since, or the user has written since.',
    }),
  ),
  assignee: Type.Optional(inboxFilters.assignee),
  state: Type.Optional(inboxFilters.state),
  rating: Type.Optional(inboxFilters.rating),
  label: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Begun at this time or later.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Begun before this time.' })),
};

export const ConsoleConversationQuery = Strict({
  ...filters,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  before: Type.Optional(
    Type.String({ format: 'uuid', description: 'The cursor of the next page, as the Link header gives it.' }),
  ),
  /** Links and sockets of the console cannot send headers. */
  workspace: Type.Optional(Uuid),
});
export type ConsoleConversationQuery = Static<typeof ConsoleConversationQuery>;

export const exportFormats = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const ConversationExportQuery = Strict({
  ...filters,
  format: OneOf<ExportFormat[]>([...exportFormats]),
  workspace: Type.Optional(Uuid),
});
export type ConversationExportQuery = Static<typeof ConversationExportQuery>;

export const FindQuery = Strict({ id: Uuid });

/** What an id belongs to, in the console's own terms. */
export const FoundObject = Type.Object(
  {
    type: OneOf([
      'conversation',
      'bot',
      'approval',
      'knowledge',
      'tool',
      'machine',
      'widget',
      'scenario',
      'evaluation',
    ]),
    id: Uuid,
    title: Type.String(),
    conversation_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'Of a message, a turn or an approval.' }),
    ),
    message_id: Type.Optional(Uuid),
    turn_id: Type.Optional(Uuid),
    bot_id: Type.Optional(Uuid),
  },
  { $id: 'FoundObject', examples: [{ type: 'conversation', id: example.id, title: example.title }] },
);
export type FoundObject = Static<typeof FoundObject>;

export const WaitingCounts = Type.Object(
  {
    approvals: Type.Integer(),
    handoffs: Type.Integer({
      description: 'Conversations whose user waits for a person; 500 stands for more.',
    }),
  },
  { description: 'How much waits for a person.', examples: [{ approvals: 2, handoffs: 1 }] },
);
export type WaitingCounts = Static<typeof WaitingCounts>;

const RunningItem = Type.Object({
  kind: OneOf(['turn', 'run', 'evaluation', 'knowledge']),
  id: Uuid,
  title: Type.String(),
  bot_id: Nullable(Uuid),
  bot_name: Nullable(Type.String()),
  conversation_id: Nullable(Uuid),
  started_at: Timestamp,
  done: Nullable(Type.Number({ description: 'Steps of a run, cases of an evaluation, or a share of 1.' })),
  of: Nullable(Type.Number()),
});
export type RunningItem = Static<typeof RunningItem>;

const FailedItem = Type.Object({
  kind: OneOf(['turn', 'run', 'knowledge', 'webhook', 'job']),
  id: Type.String(),
  title: Type.String(),
  bot_id: Nullable(Uuid),
  bot_name: Nullable(Type.String()),
  conversation_id: Nullable(Uuid),
  at: Timestamp,
  reason: Type.String(),
});
export type FailedItem = Static<typeof FailedItem>;

export const Overview = Type.Object(
  {
    waiting: WaitingCounts,
    handoffs: Type.Array(ListedConversation, { description: 'The longest-waiting first, at most 20.' }),
    // A node of the previous release leaves it out.
    for_you: Type.Optional(
      Type.Array(ListedConversation, {
        description:
          'What is assigned to the member, open and not answered by a person, and what mentions them unseen; the latest first, at most 20.',
      }),
    ),
    running: Type.Array(RunningItem, { description: 'At most 20.' }),
    running_count: Type.Integer(),
    failed: Type.Array(FailedItem, { description: 'Of the last 24 hours, newest first, at most 20.' }),
    failed_count: Type.Integer(),
    quiet_since: Nullable(
      Type.String({ format: 'date-time', description: 'When the last thing that waited was answered.' }),
    ),
    today: Type.Object({
      conversations: Type.Integer(),
      ...knownCost,
    }),
    balance: Nullable(
      Type.Object({
        credit_usd: Type.String(),
        left_usd: Type.String(),
        is_low: Type.Boolean({ description: 'Less than a tenth is left.' }),
      }),
    ),
    setup: Type.Object({
      model: Type.Boolean({
        description: 'Bots can be answered by a real model, not only the built-in one.',
      }),
      bot: Type.Boolean(),
      knowledge: Type.Boolean(),
      widget: Type.Boolean(),
      member: Type.Boolean({ description: 'Somebody else is a member.' }),
    }),
  },
  { $id: 'Overview' },
);
export type Overview = Static<typeof Overview>;
