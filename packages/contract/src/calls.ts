import { type Static, Type } from 'typebox';
import { knownCost, Nullable, OneOf, Strict, Timestamp, Uuid } from './common.ts';

export const callStatuses = [
  'queued',
  'ringing',
  'in_progress',
  'completed',
  'no_answer',
  'busy',
  'failed',
  'ended_by_limit',
] as const;
export type CallStatus = (typeof callStatuses)[number];

export const callEndReasons = [
  'caller_hung_up',
  'bot_hung_up',
  'stopped',
  'transferred',
  'silence',
  'no_answer',
  'voicemail',
  'busy',
  'declined',
  'max_duration',
  'insufficient_balance',
  'visitor_limit',
  'not_placed',
  'speech_failed',
  'bot_failed',
  'line_failed',
  'node_lost',
  'service_stopped',
] as const;
export type CallEndReason = (typeof callEndReasons)[number];

export const CallDirection = OneOf(['inbound', 'outbound', 'web'], {
  description: '`web`: from the microphone of a browser.',
});
export type CallDirection = Static<typeof CallDirection>;

const callProperties = {
  call_id: Type.String({ format: 'uuid', description: 'The same as the id of its conversation.' }),
  direction: CallDirection,
  from_number: Nullable(Type.String()),
  to_number: Nullable(Type.String()),
  status: OneOf(callStatuses),
  answered_at: Nullable(Timestamp),
  ended_at: Nullable(Timestamp),
  duration_seconds: Type.Integer({ description: 'Since it was answered; 0 if it was not.' }),
  end_reason: Nullable(OneOf(callEndReasons)),
  end_detail: Nullable(Type.String({ description: 'More about why it ended, where there is more to say.' })),
  ...knownCost,
  recording_ms: Nullable(
    Type.Integer({ description: 'How long its recording is so far; null if there is none.' }),
  ),
  summary: Nullable(Type.String({ description: 'Written after the call; null until then.' })),
};

export const Call = Type.Object(callProperties, {
  description: 'A call by telephone or from a browser.',
});
export type Call = Static<typeof Call>;

const Milliseconds = (description: string) => Nullable(Type.Integer({ description }));

export const CallTurn = Type.Object({
  turn_id: Uuid,
  text_ms: Milliseconds('From the end of the speech until its text was there.'),
  end_of_turn_ms: Milliseconds('From the text until the turn was considered over.'),
  model_ms: Milliseconds('From then until the first sentence of the reply.'),
  speech_ms: Milliseconds('From that sentence until its first sound was played.'),
  interrupted: Type.Boolean({ description: 'The caller interrupted the reply.' }),
});
export type CallTurn = Static<typeof CallTurn>;

export const CallHookOutcome = Type.Object({
  hook_id: Uuid,
  tool_name: Type.String(),
  tool_type: Type.String(),
  status: OneOf(['pending', 'started', 'ok', 'error', 'unknown'], {
    description:
      '`unknown`: it may or may not have been carried out. The service was cut off while it ran, or it did not end in time.',
  }),
  error: Nullable(Type.String()),
  started_at: Nullable(Timestamp),
  ended_at: Nullable(Timestamp),
});
export type CallHookOutcome = Static<typeof CallHookOutcome>;

const RecordingMark = Type.Object({
  at_ms: Type.Integer({ description: 'Where it begins in the recording.' }),
  turn_id: Nullable(Type.String({ format: 'uuid', description: 'The turn that the caller began with it.' })),
  message_id: Nullable(Type.String({ format: 'uuid', description: 'The message of the bot.' })),
});

export const CallDetail = Type.Object({
  ...callProperties,
  recording_marks: Type.Array(RecordingMark, {
    description: 'Where the lines of the transcript begin in the recording.',
  }),
  turns: Type.Array(CallTurn, { description: 'How long the answers took, oldest first.' }),
  hooks: Type.Array(CallHookOutcome, { description: 'What ran after the call, in order.' }),
});
export type CallDetail = Static<typeof CallDetail>;

export const PlaceCall = Strict(
  {
    bot_id: Type.String({ format: 'uuid', description: 'The bot that talks.' }),
    to_number: Type.String({
      pattern: '^\\+?[0-9]{2,20}$',
      'x-expected': 'a phone number with its country code, such as +12025550111',
      description: 'The number to call, in international form.',
    }),
  },
  { examples: [{ bot_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90', to_number: '+12025550111' }] },
);
export type PlaceCall = Static<typeof PlaceCall>;

export const PlacedCall = Type.Object({
  success: Type.Literal(true),
  data: Type.Object({
    call_id: Type.String({ format: 'uuid', description: 'Also the id of its conversation.' }),
  }),
  message: Type.String(),
});
export type PlacedCall = Static<typeof PlacedCall>;
