import { Type } from 'typebox';
import { Nullable, OneOf, Timestamp, Uuid } from './common.ts';
import { MessageRating, TakenOver } from './conversations.ts';
import { EndUserMessage } from './end-users.ts';
import { type ErrorCode, errorCodes } from './errors.ts';
import { type EventOf, eventSchemas, oneOfEvents, type WireEvent } from './event-schema.ts';

/** What an end user is sent of the stored events. Their names are those of the full events, their ids too. */
const durableEvents = {
  'turn.started': Type.Object(
    { turn_id: Uuid, conversation_id: Uuid, bot_id: Uuid, user_message: EndUserMessage },
    { description: 'A message was stored, and its turn begins.' },
  ),
  'turn.paused': Type.Object(
    { turn_id: Uuid },
    { description: 'Somebody of the team is checking something before the answer continues.' },
  ),
  'turn.resumed': Type.Object({ turn_id: Uuid }, { description: 'The answer continues.' }),
  'turn.completed': Type.Object(
    {
      turn_id: Uuid,
      message_id: Nullable(Uuid),
      handed_off: Type.Boolean({ description: 'The bot did not answer: a person will.' }),
    },
    { description: 'The turn is over; `message_id` is its last reply.' },
  ),
  'turn.interrupted': Type.Object({ turn_id: Uuid }, { description: 'The turn was stopped.' }),
  'turn.failed': Type.Object(
    {
      turn_id: Uuid,
      error: Type.Object({
        code: OneOf(Object.keys(errorCodes) as ErrorCode[]),
        message: Type.String(),
        retryable: Type.Boolean(),
      }),
    },
    { description: 'The turn could not be finished.' },
  ),
  'message.completed': Type.Object(
    { message: EndUserMessage },
    { description: 'A whole message of the bot. It replaces the preview.' },
  ),
  'message.operator': Type.Object(
    { message: EndUserMessage },
    { description: 'A person of the team wrote a message.' },
  ),
  'message.rated': Type.Object(
    { message_id: Uuid, rating: MessageRating },
    { description: 'The user rated an answer, or took the rating back.' },
  ),
  'conversation.needs_human': Type.Object(
    { needs_human: Type.Boolean(), taken_over: TakenOver },
    { description: 'Whether a person has been asked, so that the bot does not answer.' },
  ),
  'conversation.branched': Type.Object(
    { branch_id: Uuid, after_message_id: Nullable(Uuid), turn_id: Nullable(Uuid) },
    {
      description:
        'Everything after this message (null: all messages) was put aside for a branch. `turn_id` names the turn that begins it; null if it was there already: then read the conversation.',
    },
  ),
  'conversation.truncated': Type.Object(
    { after_message_id: Uuid },
    { description: 'Everything after this message was removed.' },
  ),
};

const liveEvents = {
  'message.delta': Type.Object(
    { message_id: Uuid, offset: Type.Integer({ minimum: 0 }), text: Type.String() },
    { description: 'A piece of the reply that is being written.' },
  ),
  'message.typing': Type.Object(
    { author_name: Nullable(Type.String()) },
    {
      description:
        'A person of the team is writing a message. Sent again every few seconds meanwhile: six seconds after the last one, or with the message, it is over.',
    },
  ),
  'stream.snapshot': Type.Object(
    { message_id: Uuid, text: Type.String() },
    { description: 'The unfinished reply so far. It replaces the preview.' },
  ),
  'stream.gap': Type.Object(
    { from: Type.Integer(), to: Type.Integer() },
    { description: 'The events with these ids were removed by a truncation: read the conversation.' },
  ),
};

export type EndUserDurableEvent = EventOf<typeof durableEvents>;
export type EndUserLiveEvent = EventOf<typeof liveEvents>;

const prefix = 'EndUser';
const EventId = Type.Integer({ minimum: 1, description: 'Counts up; what `Last-Event-ID` takes.' });

const durableSchemas = eventSchemas(durableEvents, { id: EventId }, prefix);

export const EndUserStreamedEvent = Type.Unsafe<
  WireEvent<EndUserDurableEvent, { id: number }> | WireEvent<EndUserLiveEvent>
>({
  $id: 'EndUserStreamEvent',
  description: 'One server-sent event as end users get it; `data` is sent as JSON.',
  ...oneOfEvents([...durableSchemas, ...eventSchemas(liveEvents, {}, prefix)]),
});

/** A stored event, as it is listed. Events that end users do not see leave holes between the ids. */
export const EndUserLoggedEvent = Type.Unsafe<EndUserLoggedEvent>({
  $id: 'EndUserEvent',
  type: 'object',
  required: ['created_at'],
  properties: { created_at: Timestamp },
  ...oneOfEvents(durableSchemas),
});
export type EndUserLoggedEvent = WireEvent<EndUserDurableEvent, { id: number; created_at: string }>;
