import { type Static, Type } from 'typebox';
import { AttachmentIds, Attachments } from './attachments.ts';
import { Nullable, OneOf, Strict, Timestamp, Uuid } from './common.ts';
import { MessageRating, maxMessageCharacters, TakenOver } from './conversations.ts';

export const externalUserIdLimit = 200;

export const EndUserTokenCreate = Strict(
  {
    external_user_id: Type.String({ minLength: 1, maxLength: externalUserIdLimit }),
    bot_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'The token works with this bot only. Every bot if left out.',
      }),
    ),
    expires_in: Type.Integer({
      minimum: 60,
      maximum: 86_400,
      description: 'Seconds that the token is valid.',
    }),
    max_messages_per_hour: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
    max_usd_per_day: Type.Optional(
      Type.String({
        pattern: '^\\d{1,9}(\\.\\d{1,9})?$',
        'x-expected': 'an amount in USD such as "0.50"',
      }),
    ),
  },
  { examples: [{ external_user_id: 'customer-17', expires_in: 3600 }] },
);
export type EndUserTokenCreate = Static<typeof EndUserTokenCreate>;

export const EndUserToken = Type.Object(
  { token: Type.String(), expires_at: Timestamp },
  {
    $id: 'EndUserToken',
    examples: [{ token: 'svc_ut_eyJ3Ijoi….Zk3v', expires_at: '2026-11-15T10:30:00.000Z' }],
  },
);
export type EndUserToken = Static<typeof EndUserToken>;

export const EndUserParams = Type.Object({
  // No person has an id with a NUL character, which PostgreSQL refuses.
  external_user_id: Type.String({
    minLength: 1,
    maxLength: externalUserIdLimit,
    pattern: '^[^\\u0000]+$',
    'x-expected': 'an id without a NUL character',
  }),
});

export const ErasedEndUser = Type.Object(
  { message: Type.String(), deleted_conversations: Type.Integer() },
  { examples: [{ message: 'The person was erased.', deleted_conversations: 3 }] },
);
export type ErasedEndUser = Static<typeof ErasedEndUser>;

/** What an end user sees of a citation. */
const EndUserCitation = Type.Object({
  title: Type.String(),
  source_url: Nullable(Type.String()),
  quote: Type.String(),
});

/** What an end user sees of a message: no calls, no results of tools. */
export const EndUserMessage = Type.Object(
  {
    id: Uuid,
    role: OneOf(['user', 'assistant', 'operator']),
    content: Type.String(),
    citations: Type.Array(EndUserCitation),
    author_name: Nullable(
      Type.String({ description: 'The person who wrote it, if it is a person of the team.' }),
    ),
    interrupted: Type.Boolean(),
    attachments: Attachments,
    rating: MessageRating,
    created_at: Timestamp,
  },
  { $id: 'EndUserMessage' },
);
export type EndUserMessage = Static<typeof EndUserMessage>;

const endUserConversation = {
  id: Uuid,
  bot_id: Uuid,
  title: Type.String(),
  status: OneOf(['idle', 'running', 'paused'], {
    description: '`paused`: somebody of the team is checking something before the answer continues.',
  }),
  needs_human: Type.Boolean({
    description: 'A person has been asked or has taken over, and the bot does not answer.',
  }),
  taken_over: TakenOver,
  created_at: Timestamp,
  last_message_at: Nullable(Timestamp),
};

export const EndUserConversation = Type.Object(endUserConversation, { $id: 'EndUserConversation' });
export type EndUserConversation = Static<typeof EndUserConversation>;

export const EndUserConversationDetail = Type.Object(
  {
    ...endUserConversation,
    last_event_id: Type.Integer({ description: 'Follow the conversation from here.' }),
    has_branches: Type.Boolean({ description: 'A message was answered again or edited.' }),
    messages: Type.Array(EndUserMessage, {
      description: 'Oldest first. At most the newest 200, and fewer if they are very long.',
    }),
  },
  { $id: 'EndUserConversationDetail' },
);
export type EndUserConversationDetail = Static<typeof EndUserConversationDetail>;

/** A visitor's message. There is nothing to override: bot, user and channel are those of the token. */
export const VisitorMessage = Strict(
  {
    message: Type.String({ minLength: 1, maxLength: maxMessageCharacters }),
    conversation_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'Continue this conversation.' }),
    ),
    new_conversation: Type.Optional(Type.Boolean({ description: 'Start a new conversation.' })),
    attachments: AttachmentIds,
    replaces: Type.Optional(
      Type.String({
        format: 'uuid',
        description:
          "The visitor's message of this conversation in whose place this one begins a branch: with the same text, it is answered again. Needs `conversation_id`.",
      }),
    ),
  },
  { examples: [{ message: 'Where is my parcel?' }] },
);
export type VisitorMessage = Static<typeof VisitorMessage>;
