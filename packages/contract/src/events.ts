import { Type } from 'typebox';
import { Approval } from './approvals.ts';
import { AnyObject, knownCost, Nullable, OneOf, Timestamp, Uuid } from './common.ts';
import {
  ConversationMessage,
  ConversationNote,
  inboxProperties,
  MessageRating,
  NeedsHuman,
  TakenOver,
  Usage,
} from './conversations.ts';
import type { DurableEventName, LiveEventName } from './event-names.ts';
import { EventError, type EventOf, eventSchemas, oneOfEvents, type WireEvent } from './event-schema.ts';

/** The data of the events that are stored. */
const durableEvents = {
  'turn.started': Type.Object(
    { turn_id: Uuid, conversation_id: Uuid, bot_id: Uuid, user_message: ConversationMessage },
    { description: 'A message was stored, and its turn begins.' },
  ),
  'turn.paused': Type.Object(
    { turn_id: Uuid, approval_ids: Type.Array(Uuid) },
    { description: 'The turn waits for these approvals.' },
  ),
  'turn.resumed': Type.Object(
    { turn_id: Uuid },
    { description: 'Its approvals are answered, and the turn continues.' },
  ),
  'turn.completed': Type.Object(
    {
      turn_id: Uuid,
      message_id: Nullable(Uuid),
      usage: Usage,
      cost_usd: knownCost.cost_usd,
      unpriced_models: Type.Optional(knownCost.unpriced_models),
      handed_off: Type.Boolean({
        description: 'The conversation waits for a person, so the bot did not answer: `message_id` is null.',
      }),
    },
    { description: 'The turn is over; `message_id` is its last reply, or null.' },
  ),
  'turn.interrupted': Type.Object(
    { turn_id: Uuid, by: Type.String({ examples: ['api'] }) },
    { description: 'The turn was stopped. The reply so far is kept.' },
  ),
  'turn.failed': Type.Object(
    { turn_id: Uuid, error: EventError },
    { description: 'The turn could not be finished. The reply so far is kept.' },
  ),
  'message.completed': Type.Object(
    { message: ConversationMessage },
    { description: 'A whole message of the bot. It replaces the preview.' },
  ),
  'message.operator': Type.Object(
    { message: ConversationMessage },
    { description: 'An operator wrote a message.' },
  ),
  'message.rated': Type.Object(
    { message_id: Uuid, rating: MessageRating },
    { description: 'The user rated an answer, or took the rating back.' },
  ),
  'tool.started': Type.Object(
    {
      tool_call_id: Type.String(),
      tool_name: Type.String(),
      tool_type: Type.String(),
      arguments: AnyObject,
    },
    { description: 'A tool is called.' },
  ),
  'tool.completed': Type.Object(
    {
      tool_call_id: Type.String(),
      status: OneOf(['ok', 'error', 'denied', 'unknown'], {
        description:
          '`unknown`: a crash cut the call off, or its machine went offline, and it may or may not have been carried out.',
      }),
      result: Type.Unknown(),
      duration_ms: Type.Integer(),
    },
    {
      description:
        'A call of a tool is over. After `unknown` it is sent once more if the machine comes back with the outcome.',
    },
  ),
  'approval.requested': Type.Object(
    { approval: Approval },
    { description: 'A call waits for a person to approve it.' },
  ),
  'approval.resolved': Type.Object(
    { approval: Approval },
    { description: 'An approval was answered, cancelled, or has expired.' },
  ),
  'conversation.needs_human': Type.Object(
    { needs_human: Nullable(NeedsHuman), taken_over: Type.Optional(TakenOver) },
    {
      description:
        'The bot requests a person, or one takes over: it stops answering; null once it may answer again.',
    },
  ),
  'conversation.updated': Type.Object(
    { ...inboxProperties, notes: Type.Array(ConversationNote, { description: 'Those that are new.' }) },
    { description: 'People changed who sees to it, its state or labels, or somebody left a note.' },
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
} satisfies Record<DurableEventName, unknown>;

/** The data of the events that only connected readers receive. */
const liveEvents = {
  'message.delta': Type.Object(
    {
      message_id: Uuid,
      offset: Type.Integer({
        minimum: 0,
        description: 'Where `text` begins in the message, in UTF-16 units.',
      }),
      text: Type.String(),
    },
    { description: 'A piece of the reply that is being written.' },
  ),
  'message.typing': Type.Object(
    {
      role: OneOf(['user', 'operator'], { description: 'Whose message it is going to be.' }),
      author_name: Nullable(
        Type.String({ description: 'Of an operator: the name that the message will have.' }),
      ),
    },
    {
      description:
        'Somebody is writing in a conversation that waits for a person. Sent again every few seconds meanwhile: six seconds after the last one, or with their message, it is over.',
    },
  ),
  'tool.progress': Type.Object(
    { tool_call_id: Type.String(), text: Type.String() },
    { description: 'A running tool reports how far it is.' },
  ),
  'stream.snapshot': Type.Object(
    { message_id: Uuid, text: Type.String() },
    {
      description:
        'The unfinished reply so far. It replaces the preview; an empty text means that the preview was discarded.',
    },
  ),
  'stream.gap': Type.Object(
    { from: Type.Integer(), to: Type.Integer(), conversation_url: Type.String() },
    { description: 'The events with these ids were removed by a truncation: read the conversation.' },
  ),
} satisfies Record<LiveEventName, unknown>;

export type DurableEvent = EventOf<typeof durableEvents>;
export type LiveEvent = EventOf<typeof liveEvents>;
export type ConversationEvent = DurableEvent | LiveEvent;

const EventId = Type.Integer({
  minimum: 1,
  description: 'Counts up from 1 in each conversation, without gaps; what `Last-Event-ID` takes.',
});
const durableSchemas = eventSchemas(durableEvents, { id: EventId });
const liveSchemas = eventSchemas(liveEvents);

/** What the streams of a conversation send: `id`, `event` and `data` are the fields of a server-sent event. */
export const StreamedEvent = Type.Unsafe<WireEvent<DurableEvent, { id: number }> | WireEvent<LiveEvent>>({
  $id: 'StreamEvent',
  description:
    'One server-sent event; `data` is sent as JSON. Those with an `id` are stored and can be read again, the others cannot.',
  ...oneOfEvents([...durableSchemas, ...liveSchemas]),
});

/** A stored event, as it is listed. */
export const LoggedEvent = Type.Unsafe<LoggedEvent>({
  $id: 'Event',
  type: 'object',
  required: ['created_at'],
  properties: { created_at: Timestamp },
  ...oneOfEvents(durableSchemas),
});
export type LoggedEvent = WireEvent<DurableEvent, { id: number; created_at: string }>;
