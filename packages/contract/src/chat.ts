import { type Static, Type } from 'typebox';
import { AttachmentIds } from './attachments.ts';
import { knownCost, Metadata, Nullable, OneOf, Strict, Uuid } from './common.ts';
import {
  ConversationIdQuery,
  MessageRating,
  maxMessageCharacters,
  maxRatingCommentCharacters,
} from './conversations.ts';

export const SendMessage = Strict(
  {
    bot_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'May be left out when conversation_id is given.' }),
    ),
    message: Type.String({ minLength: 1, maxLength: maxMessageCharacters }),
    external_user_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          "The owner of the conversation: the integration's own id of its end user. Required with an account key; an end-user token already names its user.",
      }),
    ),
    new_conversation: Type.Optional(Type.Boolean({ description: 'Start a new conversation.' })),
    conversation_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'Continue this conversation.' }),
    ),
    code_machine_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'A paired machine for file and shell work. The conversation remembers it.',
      }),
    ),
    code_workdir: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4096,
        description: 'The project directory on that machine. The conversation remembers it.',
      }),
    ),
    code_mode: Type.Optional(
      OneOf(['plan', 'work'], {
        description:
          '`plan`: the tools of the bot can only read until a plan that it presents is approved. `work` ends that. The conversation remembers it.',
      }),
    ),
    metadata: Type.Optional(Metadata),
    attachments: AttachmentIds,
  },
  {
    examples: [
      {
        bot_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
        message: 'Where is my parcel?',
        external_user_id: 'customer-17',
      },
    ],
  },
);
export type SendMessage = Static<typeof SendMessage>;

export const StreamQuery = Strict({
  ...ConversationIdQuery,
  after: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Start after this event id, like Last-Event-ID.' }),
  ),
});

export const EventsQuery = Strict({
  ...ConversationIdQuery,
  after: Type.Optional(Type.Integer({ minimum: 0, description: 'Only events after this id.' })),
});

export const StatsQuery = Strict(ConversationIdQuery);

export const StopTurn = Strict(
  { conversation_id: Uuid },
  { examples: [{ conversation_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e93' }] },
);
export const Typing = Strict(
  { conversation_id: Uuid },
  { examples: [{ conversation_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e93' }] },
);

const rating = {
  rating: MessageRating,
  comment: Type.Optional(
    Type.String({
      maxLength: maxRatingCommentCharacters,
      description: 'What was wrong, with the rating `down` only. Another rating removes it.',
    }),
  ),
};
const ratingExample = { rating: 'down' as const, comment: 'The price is out of date.' };
export const RateMessage = Strict(rating, { examples: [ratingExample] });
export type RateMessage = Static<typeof RateMessage>;
export const RateAnswer = Strict(
  { conversation_id: Uuid, message_id: Uuid, ...rating },
  {
    examples: [
      {
        conversation_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e93',
        message_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e94',
        ...ratingExample,
      },
    ],
  },
);

export type RateAnswer = Static<typeof RateAnswer>;

export const Stopped = Type.Object(
  { stopped: Type.Boolean({ description: 'Whether a running or paused turn was interrupted.' }) },
  { examples: [{ stopped: true }] },
);

export type Stopped = Static<typeof Stopped>;

export const ChatStats = Type.Object(
  {
    conversation_id: Uuid,
    turns: Type.Integer(),
    messages: Type.Integer(),
    tool_calls: Type.Integer(),
    input_tokens: Type.Integer(),
    cached_input_tokens: Type.Integer(),
    output_tokens: Type.Integer(),
    total_tokens: Type.Integer(),
    ...knownCost,
    by_model: Type.Array(
      Type.Object({
        model: Type.String(),
        input_tokens: Type.Integer(),
        output_tokens: Type.Integer(),
        cost_usd: Nullable(Type.String({ description: 'Null if the price of the model is not known.' })),
      }),
    ),
  },
  {
    $id: 'ChatStats',
    examples: [
      {
        conversation_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e93',
        turns: 1,
        messages: 2,
        tool_calls: 0,
        input_tokens: 120,
        cached_input_tokens: 0,
        output_tokens: 40,
        total_tokens: 160,
        cost_usd: '0.00011',
        unpriced_models: [],
        by_model: [{ model: 'openai/gpt-5-mini', input_tokens: 120, output_tokens: 40, cost_usd: '0.00011' }],
      },
    ],
  },
);
export type ChatStats = Static<typeof ChatStats>;
