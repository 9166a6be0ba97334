import { type Static, Type } from 'typebox';
import { Metadata, Nullable, ReadOnly, Strict, Timestamp, Uuid } from './common.ts';

export const phoneNumberForm = {
  pattern: '^\\+?[0-9]{2,20}$',
  'x-expected':
    'a phone number with its country code, such as +12025550111, or an extension of 2 to 20 digits',
} as const;

const PhoneNumber = Type.String({
  ...phoneNumberForm,
  description: 'In international form; on a SIP trunk, as the trunk names it.',
  examples: ['+15550100'],
});

const writableProperties = {
  greeting: Type.Optional(
    Nullable(
      Type.String({ maxLength: 2000, description: "Said first, in place of the bot's `voice_greeting`." }),
    ),
  ),
  tts_voice: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: 200, description: "In place of the bot's voice." })),
  ),
  metadata: Type.Optional(Metadata),
};

const readOnly = ReadOnly(['id', 'bot_name', 'tenant_id', 'created_at', 'updated_at']);

export const VoiceNumberCreate = Strict(
  {
    phone_number: PhoneNumber,
    bot_id: Uuid,
    ...writableProperties,
    outbound_capable: Type.Optional(
      Type.Boolean({
        description:
          'Whether people can be called from this number, on a SIP trunk; default false. Other transports find it out.',
      }),
    ),
    ...ReadOnly(['is_outbound_primary']),
    ...readOnly,
  },
  {
    examples: [
      {
        phone_number: '+15550100',
        bot_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
        greeting: 'Hello, this is Acme.',
      },
    ],
  },
);
export type VoiceNumberCreate = Static<typeof VoiceNumberCreate>;

export const VoiceNumberUpdate = Strict(
  {
    bot_id: Type.Optional(Uuid),
    ...writableProperties,
    is_outbound_primary: Type.Optional(
      Type.Boolean({
        description:
          'Makes it the number that the bot calls from, in place of its other one. A number that moves to another bot keeps the mark unless that bot has a primary number.',
      }),
    ),
    ...ReadOnly(['phone_number', 'outbound_capable']),
    ...readOnly,
  },
  {
    description: 'Left out means unchanged, null clears.',
    examples: [{ greeting: 'Hello, this is Acme. How can I help?' }],
  },
);
export type VoiceNumberUpdate = Static<typeof VoiceNumberUpdate>;

export const VoiceNumber = Type.Object(
  {
    id: Uuid,
    phone_number: Type.String(),
    bot_id: Uuid,
    bot_name: Type.String(),
    tenant_id: Uuid,
    greeting: Nullable(Type.String()),
    tts_voice: Nullable(Type.String()),
    metadata: Metadata,
    is_outbound_primary: Type.Boolean({ description: 'The bot calls from this number.' }),
    outbound_capable: Type.Boolean({ description: 'People can be called from this number.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  {
    $id: 'VoiceNumber',
    examples: [
      {
        id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e91',
        phone_number: '+15550100',
        bot_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
        bot_name: 'Support',
        tenant_id: '0198c2a4-0000-7000-8000-2b1a6c5d8e90',
        greeting: 'Hello, this is Acme.',
        tts_voice: null,
        metadata: { branch: 'north' },
        is_outbound_primary: true,
        outbound_capable: true,
        created_at: '2026-11-15T09:30:00.000Z',
        updated_at: '2026-11-15T09:30:00.000Z',
      },
    ],
  },
);
export type VoiceNumber = Static<typeof VoiceNumber>;
