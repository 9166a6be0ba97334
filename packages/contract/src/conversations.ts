import { type Static, Type } from 'typebox';
import { Attachments } from './attachments.ts';
import { Call, CallDetail, callStatuses } from './calls.ts';
import { type Channel as ChannelName, channelNames } from './channels.ts';
import {
  AnyObject,
  Metadata,
  Nullable,
  notBlank,
  OneOf,
  ReadOnly,
  Strict,
  Timestamp,
  Uuid,
} from './common.ts';

/** The longest message of a user or an operator. */
export const maxMessageCharacters = 32_000;

const Channel = OneOf<ChannelName[]>(channelNames, {
  description:
    '`evaluation`: conversations of a bot that is tested, listed only when asked for by this channel.',
});

export const runStatuses = [
  'running',
  'paused',
  'completed',
  'failed',
  'timed_out',
  'interrupted',
  'max_iterations_reached',
] as const;
export const RunStatus = OneOf(runStatuses);
export type RunStatus = Static<typeof RunStatus>;

export const RunTrigger = OneOf(['api', 'schedule', 'console']);
export type RunTrigger = Static<typeof RunTrigger>;

/** A turn is one message and everything that answers it. */
export const turnStatuses = ['running', 'paused', 'completed', 'interrupted', 'failed'] as const;
export type TurnStatus = (typeof turnStatuses)[number];

export const conversationStatuses = [...new Set(['idle', ...runStatuses, ...callStatuses] as const)];
const ConversationStatus = OneOf(conversationStatuses, {
  description:
    "`idle`, `running` or `paused` for a chat; the status of the latest run for an agent's conversation, and of the call for a call's.",
});
export type ConversationStatus = Static<typeof ConversationStatus>;

export const RunWebhook = Type.Object({
  status: OneOf(['pending', 'delivered', 'failed']),
  attempts: Type.Integer(),
  last_error: Nullable(Type.String()),
});
export type RunWebhook = Static<typeof RunWebhook>;

export const Run = Type.Object({
  id: Type.String({ format: 'uuid', description: 'The `turn_id` of its events and trace steps.' }),
  status: RunStatus,
  trigger: RunTrigger,
  iterations: Type.Integer({ description: 'Replies of the model so far.' }),
  started_at: Timestamp,
  ended_at: Nullable(Timestamp),
  deadline_at: Timestamp,
  error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  webhook: Type.Optional(RunWebhook),
});
export type Run = Static<typeof Run>;

export const Citation = Type.Object({
  knowledge_id: Uuid,
  title: Type.String(),
  source_url: Nullable(Type.String()),
  quote: Type.String(),
  score: Type.Number(),
});
export type Citation = Static<typeof Citation>;

export const ToolCall = Type.Object({
  id: Type.String(),
  name: Type.String(),
  arguments: AnyObject,
  executed_arguments: Nullable(AnyObject),
});
export type ToolCall = Static<typeof ToolCall>;

/** What a user thinks of an answer of the bot. */
export const ratings = ['up', 'down'] as const;
export type Rating = (typeof ratings)[number];
export const MessageRating = Nullable(
  OneOf<Rating[]>([...ratings], { description: 'What the user thinks of it; null without a rating.' }),
);

export const maxRatingCommentCharacters = 500;

export const ConversationMessage = Type.Object(
  {
    id: Uuid,
    role: OneOf(['user', 'assistant', 'tool', 'operator']),
    content: Type.String(),
    tool_calls: Type.Array(ToolCall),
    tool_call_id: Nullable(Type.String()),
    citations: Type.Array(Citation),
    interrupted: Type.Boolean(),
    author_name: Nullable(
      Type.String({ description: 'The operator who wrote it, if a name was given; null for all others.' }),
    ),
    attachments: Attachments,
    rating: MessageRating,
    rating_comment: Type.Optional(
      Type.String({ description: 'Why the user rated it down; absent if they did not say.' }),
    ),
    created_at: Timestamp,
  },
  { $id: 'Message' },
);
export type ConversationMessage = Static<typeof ConversationMessage>;

export const NeedsHuman = Type.Object(
  {
    at: Type.String({ format: 'date-time', description: 'Since when the bot is silent.' }),
    reason: Type.String({ description: 'The latest one, of the bot or of the person who took over.' }),
  },
  {
    description:
      'The bot asked for a person, or one took over: it does not answer until this is cleared. Null otherwise.',
  },
);
export type NeedsHuman = Static<typeof NeedsHuman>;

export const TakenOver = Type.Boolean({ description: 'A person took over without having been asked.' });

/** What people have decided about a conversation. A message of its user opens it again. */
export const inboxStates = ['open', 'snoozed', 'resolved'] as const;
export type InboxState = (typeof inboxStates)[number];

export const maxLabels = 20;
const Label = Type.String({
  minLength: 1,
  maxLength: 40,
  pattern: '^[^,\\n\\r]*[^\\s,][^,\\n\\r]*$',
  'x-expected': 'a text without commas that is not blank',
});
const Labels = Type.Array(Label, { maxItems: maxLabels, uniqueItems: true });

/** What people do with a conversation, and who sees to it. */
export const inboxProperties = {
  assignee: Nullable({ ...Uuid, description: 'The member who sees to it.' }),
  state: OneOf<InboxState[]>([...inboxStates]),
  snoozed_until: Nullable({ ...Timestamp, description: 'When it is open again, if it is snoozed.' }),
  labels: Labels,
  // Stored events of the previous release do not have it.
  unread_mentions: Type.Optional(
    Type.Array(Uuid, {
      description: 'The members who were mentioned in a note and have not opened it since.',
    }),
  ),
};

export const noteKinds = [
  'written',
  'handed_off',
  'taken_over',
  'handed_back',
  'assigned',
  'snoozed',
  'resolved',
  'reopened',
] as const;

/** A line between the messages that neither the user nor the model sees. */
export const ConversationNote = Type.Object(
  {
    id: Uuid,
    kind: OneOf([...noteKinds], {
      description: '`written`: a person wrote it. Otherwise what was done with the conversation.',
    }),
    author_id: Nullable({ ...Uuid, description: 'A member; null for the bot and for programs.' }),
    author_name: Nullable(Type.String()),
    text: Nullable(
      Type.String({
        description:
          'Of `written`, what was written; of `handed_off` and `taken_over`, why; of `assigned`, the name of the member, or null for nobody; of `snoozed`, the time until when.',
      }),
    ),
    mentions: Type.Optional(Type.Array(Uuid, { description: 'The members whom it mentions.' })),
    created_at: Timestamp,
  },
  { $id: 'ConversationNote' },
);
export type ConversationNote = Static<typeof ConversationNote>;

const conversationProperties = {
  id: Uuid,
  tenant_id: Uuid,
  bot_id: Uuid,
  channel: Channel,
  external_user_id: Nullable(Type.String()),
  title: Type.String(),
  status: ConversationStatus,
  metadata: Metadata,
  needs_human: Nullable(NeedsHuman),
  ...inboxProperties,
  message_count: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
  last_message_at: Nullable(Timestamp),
  run: Type.Optional(Run),
  call: Type.Optional(Call),
};

export const conversationExample = {
  id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e93',
  tenant_id: '0198c2a4-0000-7000-8000-2b1a6c5d8e90',
  bot_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
  channel: 'chat',
  external_user_id: 'customer-17',
  title: 'Where is my parcel?',
  status: 'idle',
  metadata: {},
  needs_human: null,
  assignee: null,
  state: 'open',
  snoozed_until: null,
  labels: [],
  unread_mentions: [],
  message_count: 2,
  created_at: '2026-11-15T09:30:00.000Z',
  updated_at: '2026-11-15T09:30:02.000Z',
  last_message_at: '2026-11-15T09:30:02.000Z',
};

export const Conversation = Type.Object(conversationProperties, {
  $id: 'Conversation',
  examples: [conversationExample],
});
export type Conversation = Static<typeof Conversation>;

export const UserName = Nullable(
  Type.String({
    description: 'What the user calls themselves, or the team has written down; it proves nothing.',
  }),
);

export const ConversationDetail = Type.Object(
  {
    ...conversationProperties,
    user_name: UserName,
    call: Type.Optional(CallDetail),
    messages: Type.Array(ConversationMessage),
    notes: Type.Array(ConversationNote),
    final_output: Type.Optional(
      Type.Unknown({
        description:
          'For agents: the result of the latest run, a text or the requested JSON; null without one.',
      }),
    ),
  },
  {
    $id: 'ConversationDetail',
    examples: [{ ...conversationExample, user_name: null, messages: [], notes: [] }],
  },
);
export type ConversationDetail = Static<typeof ConversationDetail>;

export const inboxFilters = {
  assignee: Type.Union([Uuid, Type.Literal('none')], {
    description: 'Only those that a member sees to; `none`: nobody.',
    'x-expected': 'the id of a member, or none',
  }),
  state: OneOf<InboxState[]>([...inboxStates]),
  rating: OneOf<Rating[]>([...ratings], {
    description: 'Only those with an answer that the user has rated like this.',
  }),
};

export const ConversationQuery = Type.Unsafe<{
  external_user_id?: string;
  channel?: ChannelName;
  bot_id?: string;
  needs_human?: boolean;
  assignee?: string;
  state?: InboxState;
  rating?: Rating;
  limit?: number;
  before?: string;
}>({
  type: 'object',
  additionalProperties: false,
  properties: {
    external_user_id: { type: 'string', minLength: 1, maxLength: 200 },
    channel: Channel,
    bot_id: Uuid,
    needs_human: {
      type: 'boolean',
      description: 'Only conversations that wait for a person, or only the others.',
    },
    ...inboxFilters,
    limit: { type: 'integer', minimum: 1, maximum: 500, default: 100 },
    before: { ...Uuid, description: 'The cursor of the next page, as the Link header gives it.' },
    'metadata.<key>': { type: 'string', description: 'Only those whose metadata has this value.' },
  },
  patternProperties: { '^metadata\\..+$': { type: 'string' } },
});
export type ConversationQuery = Static<typeof ConversationQuery>;

const ReadBy = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    description:
      'The owner that the conversation must have: that of another user is 404, like an unknown one.',
  }),
);

/** Reads a conversation on behalf of one user. */
export const ReaderQuery = Strict({ external_user_id: ReadBy });

/** The same, where the query names the conversation. */
export const ConversationIdQuery = { conversation_id: Uuid, external_user_id: ReadBy };

const TakeOverReason = Type.String({ maxLength: 1000 });

export const ConversationUpdate = Strict(
  {
    title: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'The end user can see it too.' }),
    ),
    needs_human: Type.Optional(
      Type.Union(
        [Type.Null(), Strict({ at: Type.Optional(NeedsHuman.properties.at), reason: TakeOverReason })],
        {
          description:
            'Null returns the conversation to the bot. Without `at`, it takes over: the bot is stopped and stays silent until then. The current value changes nothing.',
        },
      ),
    ),
    assignee: Type.Optional(Nullable({ ...Uuid, description: 'A member with the role operator or owner.' })),
    state: Type.Optional(
      OneOf<InboxState[]>([...inboxStates], {
        description:
          '`snoozed` needs `snoozed_until`. `resolved` also returns the conversation to the bot. A message of the user opens it again.',
      }),
    ),
    snoozed_until: Type.Optional(Nullable(Timestamp)),
    labels: Type.Optional(Labels),
    metadata: Type.Optional(Metadata),
    ...ReadOnly([
      'id',
      'tenant_id',
      'bot_id',
      'channel',
      'external_user_id',
      'user_name',
      'status',
      'message_count',
      'created_at',
      'updated_at',
      'last_message_at',
      'run',
      'messages',
      'notes',
      'unread_mentions',
      'final_output',
    ]),
  },
  { examples: [{ title: 'Refund for order 17', needs_human: null, state: 'resolved' }] },
);
export type ConversationUpdate = Static<typeof ConversationUpdate>;

export const OperatorMessage = Strict(
  {
    content: Type.String({ minLength: 1, maxLength: maxMessageCharacters }),
    author_name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 80,
        ...notBlank,
        description: 'Who writes, as the user should see it. The bot does not see it.',
      }),
    ),
  },
  { examples: [{ content: 'Your refund is on its way.', author_name: 'Ann' }] },
);
export type OperatorMessage = Static<typeof OperatorMessage>;

const maxMentions = 20;
export const NewNote = Strict(
  {
    text: Type.String({ minLength: 1, maxLength: maxMessageCharacters, ...notBlank }),
    mentions: Type.Optional(
      Type.Array(Uuid, {
        maxItems: maxMentions,
        uniqueItems: true,
        description:
          'Members of the workspace who should read it: the console tells them. The text should name them.',
      }),
    ),
  },
  { examples: [{ text: 'They called about the same order yesterday.' }] },
);
export type NewNote = Static<typeof NewNote>;

export const TraceStepType = OneOf([
  'model',
  'tool',
  'retrieval',
  'approval',
  'confidence',
  'validation',
  'goal_completion_check',
]);

export const Usage = Type.Object({
  input_tokens: Type.Integer(),
  cached_input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
});
export type Usage = Static<typeof Usage>;

export const TraceStep = Type.Object({
  id: Uuid,
  turn_id: Uuid,
  index: Type.Integer(),
  type: TraceStepType,
  name: Type.String(),
  status: OneOf(['ok', 'error']),
  started_at: Timestamp,
  duration_ms: Type.Integer(),
  input: Type.Unknown({ description: 'Null for `confidence` and `validation`.' }),
  output: Type.Unknown({
    description:
      'Null for `confidence` and `validation`, except that keys with `workspace:read` get `{ verdict, unsupported_claims }` of a `validation`: `supported` or `unsupported`, and a number. For a reply that was not sent, it says only that.',
  }),
  usage: Nullable(Usage),
  error: Nullable(Type.String()),
});
export type TraceStep = Static<typeof TraceStep>;

export const Trace = Type.Object(
  { conversation_id: Uuid, steps: Type.Array(TraceStep) },
  {
    $id: 'Trace',
    examples: [{ conversation_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e93', steps: [] }],
  },
);
export type Trace = Static<typeof Trace>;
