import { type Static, Type } from 'typebox';
import { Metadata, Nullable, notBlank, OneOf, ReadOnly, Strict, Timestamp, Uuid } from './common.ts';

export const qualityFlags = [
  'enable_agent_tracing',
  'enable_confidence_scoring',
  'enable_response_validation',
] as const;
export type QualityFlag = (typeof qualityFlags)[number];

export const BotStatus = OneOf(['active', 'inactive']);
export const BotType = OneOf(['chatbot', 'agent'], {
  description: '`chatbot` answers turn by turn, `agent` pursues a goal on its own.',
});

export const PromptBuilder = Strict(
  {
    role: Type.Optional(Type.String({ maxLength: 4000 })),
    goal: Type.Optional(Type.String({ maxLength: 4000 })),
    tone: Type.Optional(Type.String({ maxLength: 1000 })),
    language: Type.Optional(Type.String({ maxLength: 200 })),
    instructions: Type.Optional(Type.Array(Type.String({ maxLength: 4000 }), { maxItems: 100 })),
    constraints: Type.Optional(
      Type.Array(Type.String({ maxLength: 4000 }), {
        maxItems: 100,
        description: 'Rules for every answer, each as a sentence: `Answer in one sentence.`',
      }),
    ),
    examples: Type.Optional(
      Type.Array(
        Strict({ user: Type.String({ maxLength: 8000 }), assistant: Type.String({ maxLength: 8000 }) }),
        { maxItems: 50 },
      ),
    ),
  },
  {
    description:
      'Assembled into `system_prompt` whenever it is sent without one; the prompt is stored as it was assembled then.',
  },
);
export type PromptBuilder = Static<typeof PromptBuilder>;

export const OutputConfig = Strict({
  format: OneOf(['text', 'json']),
  schema: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      'x-max-json-bytes': 32_768,
      description:
        'A JSON Schema, at most 32,768 bytes. Keywords that are not supported are refused by name.',
    }),
  ),
  webhook_url: Type.Optional(
    Type.String({
      format: 'http-url',
      maxLength: 2000,
      description:
        'Gets `{ type: "run.ended", delivery_id, run_id, bot_id, conversation_id, run, final_output }` by POST when a run ends, with the headers of `approval_notice.webhook_url`. An address that is not public is refused.',
    }),
  ),
});
export type OutputConfig = Static<typeof OutputConfig>;

export const ApprovalNotice = Strict(
  {
    webhook_url: Type.Optional(
      Type.String({
        format: 'http-url',
        maxLength: 2000,
        description:
          'Gets `{ type: "approval.requested", delivery_id, run_id, approval, link }` by POST (`run_id` only in a run), signed in the header `svc-signature: t=<unix time>,v1=<hex>`: HMAC-SHA256 of `<t>.<body>` under the secret of `GET /bots/{id}/webhook-secret`. Any answer but 2xx is retried, with the same `svc-delivery-id`. An address that is not public is refused.',
      }),
    ),
    email: Type.Optional(
      Type.String({
        pattern: "^[\\w.!#$%&'*+/=?^{|}~-]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$",
        'x-expected': 'an email address such as approvals@example.com',
        maxLength: 254,
        description: 'Gets a mail with the call and the link. Needs `SVC_SMTP_URL`.',
        examples: ['approvals@example.com'],
      }),
    ),
  },
  {
    minProperties: 1,
    description:
      'Who is notified when a call waits for approval. The link opens a page where it can be answered without a key.',
  },
);
export type ApprovalNotice = Static<typeof ApprovalNotice>;

const Flag = (description: string) => Type.Optional(Nullable(Type.Boolean({ description })));

/** The fields of `settings`, which a write body can also have at its top level. `null` clears a field. */
export const callPatiences = ['quick', 'normal', 'patient'] as const;
export type CallPatience = (typeof callPatiences)[number];

export const callInterruptions = ['speech', 'words', 'never'] as const;
export type CallInterruption = (typeof callInterruptions)[number];

/** How long recordings of calls are kept by bots that do not say it. */
export const usualRecordingDays = 90;

const settingsProperties = {
  model: Type.Optional(
    Nullable(
      Type.String({
        minLength: 3,
        maxLength: 200,
        description: 'provider/model',
        examples: ['openai/gpt-5-mini'],
      }),
    ),
  ),
  temperature: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 2 }))),
  max_steps: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 200,
        description:
          'The most model replies in one chat turn; default 50, or 200 for bots that work on a machine. The last one cannot call tools. Agent runs have `max_iterations`.',
      }),
    ),
  ),
  chat_greeting: Type.Optional(
    Nullable(Type.String({ maxLength: 2000, description: 'Stored as the first message of every new chat.' })),
  ),
  tts_provider: Type.Optional(Nullable(OneOf(['elevenlabs', 'cartesia']))),
  tts_voice: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 200 }))),
  voice_greeting: Type.Optional(Nullable(Type.String({ maxLength: 2000 }))),
  end_call_enabled: Flag('The bot may hang up.'),
  call_transfer_enabled: Flag('The bot may transfer the caller.'),
  call_transfer_number: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 50,
        description:
          'A phone number with its country code, or an extension of 2 to 20 digits. Spaces, dots, dashes, slashes and parentheses are left out.',
        examples: ['+49 30 123456'],
      }),
    ),
  ),
  call_transfer_announcement: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description:
          'Said to the person who takes a transferred call, followed by what the caller wants, before the two are connected. Left out: they are connected at once.',
        examples: ['A customer of Acme is on the line.'],
      }),
    ),
  ),
  keypad_masking: Flag(
    'What callers enter on the keypad is masked, and only tools with `keypad_input` in their configuration get it in full. On unless it is `false`.',
  ),
  call_patience: Type.Optional(
    Nullable(
      OneOf(callPatiences, {
        description:
          'How long callers may pause before the bot answers: about 0.2 s after a sentence (`quick`), 0.3 s (`normal`, the default) or 0.8 s (`patient`), and twice that within one.',
      }),
    ),
  ),
  call_interruption: Type.Optional(
    Nullable(
      OneOf(callInterruptions, {
        description:
          'What stops the bot while it speaks: any voice (`speech`, the default), only words that are understood (`words`, for noisy lines), or nothing (`never`): it then answers after it has finished.',
      }),
    ),
  ),
  record_calls: Flag(
    'Calls are recorded, both sides, and callers are told so before anything else is said. Off by default.',
  ),
  recording_announcement: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 500,
        ...notBlank,
        description:
          'What callers are told; by default that the call is recorded, in the language of the bot.',
        examples: ['This call is recorded for training.'],
      }),
    ),
  ),
  recording_retention_days: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 3650,
        description: `Recordings are deleted after so many days; default ${usualRecordingDays}. A shorter time also applies to earlier calls.`,
      }),
    ),
  ),
  outbound_calls_enabled: Flag('The bot may place calls.'),
  max_call_seconds: Type.Optional(Nullable(Type.Integer({ minimum: 10, maximum: 86_400 }))),
  approval_notice: Type.Optional(Nullable(ApprovalNotice)),
  persistent_conversation: Flag('Every run of the agent continues one conversation.'),
  enable_agent_tracing: Flag('Record the steps of every turn for the trace.'),
  enable_confidence_scoring: Flag(
    'Grade every reply before it is sent and replace it below 0.3. Costs one more model call per reply; nothing is previewed.',
  ),
  safe_message: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        ...notBlank,
        description:
          "What confidence scoring sends instead of a reply below 0.3. Left out: a sentence in the conversation's language.",
      }),
    ),
  ),
  enable_response_validation: Flag(
    'Check replies against their sources in the background, if a turn used any. Never changes the answer.',
  ),
};

export const BotSettings = Strict(settingsProperties);
export type BotSettings = Static<typeof BotSettings>;

const JsonText = Type.String({ maxLength: 500_000, description: 'JSON encoded as a string.' });

const writableProperties = {
  ...settingsProperties,
  description: Type.Optional(Type.String({ maxLength: 2000 })),
  system_prompt: Type.Optional(Type.String({ minLength: 1, maxLength: 200_000 })),
  prompt_builder: Type.Optional(Type.Union([PromptBuilder, JsonText, Type.Null()])),
  settings: Type.Optional(Type.Union([BotSettings, JsonText])),
  bot_type: Type.Optional(BotType),
  status: Type.Optional(BotStatus),
  agent_goal: Type.Optional(Nullable(Type.String({ maxLength: 50_000 }))),
  schedule: Type.Optional(
    Nullable(
      Type.String({
        maxLength: 200,
        description: 'Five cron fields, in UTC unless they begin with `TZ=Area/City `.',
        examples: ['TZ=Europe/Berlin 0 9 * * 1-5'],
      }),
    ),
  ),
  output_config: Type.Optional(Nullable(OutputConfig)),
  max_iterations: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: 'Default 25.' })),
  timeout_seconds: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 86_400 }))),
  metadata: Type.Optional(Metadata),
  ...ReadOnly(['id', 'tenant_id', 'next_run_at', 'last_run_at', 'created_at', 'updated_at']),
};

const BotName = Type.String({ minLength: 1, maxLength: 200 });

export const BotCreate = Strict(
  { name: BotName, ...writableProperties },
  {
    examples: [
      { name: 'Support', system_prompt: 'You help the customers of Acme.', metadata: { team: 'support' } },
      { name: 'Host', prompt_builder: { role: 'a polite host', instructions: ['Greet the guest by name.'] } },
    ],
  },
);
export type BotCreate = Static<typeof BotCreate>;

export const BotUpdate = Strict(
  { name: Type.Optional(BotName), ...writableProperties },
  {
    description:
      'Left out means unchanged, null clears. The three quality flags are the exception: one that is not sent is off.',
    examples: [{ name: 'Support, second line', enable_agent_tracing: true }],
  },
);
export type BotUpdate = Static<typeof BotUpdate>;

export const BotModelUpdate = Strict(
  { model: Type.String({ minLength: 3, maxLength: 200, examples: ['openai/gpt-5-mini'] }) },
  { examples: [{ model: 'openai/gpt-5-mini' }] },
);

export const Bot = Type.Object(
  {
    id: Uuid,
    tenant_id: Uuid,
    name: Type.String(),
    description: Type.String(),
    system_prompt: Type.String(),
    prompt_builder: Nullable(Type.String({ description: 'JSON encoded as a string.' })),
    settings: Type.String({ description: 'JSON encoded as a string; a quality flag that is absent is off.' }),
    status: BotStatus,
    bot_type: BotType,
    schedule: Nullable(Type.String()),
    next_run_at: Nullable(Timestamp),
    last_run_at: Nullable(Timestamp),
    agent_goal: Nullable(Type.String()),
    output_config: Nullable(Type.Unsafe<OutputConfig>({ type: 'object', additionalProperties: true })),
    max_iterations: Type.Integer(),
    timeout_seconds: Nullable(Type.Integer()),
    metadata: Metadata,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  {
    $id: 'Bot',
    examples: [
      {
        id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
        tenant_id: '0198c2a4-0000-7000-8000-2b1a6c5d8e90',
        name: 'Support',
        description: 'Answers customers.',
        system_prompt: 'You help the customers of Acme.',
        prompt_builder: null,
        settings: '{"model":"openai/gpt-5-mini","enable_agent_tracing":true}',
        status: 'active',
        bot_type: 'chatbot',
        schedule: null,
        next_run_at: null,
        last_run_at: null,
        agent_goal: null,
        output_config: null,
        max_iterations: 25,
        timeout_seconds: null,
        metadata: { team: 'support' },
        created_at: '2026-11-15T09:30:00.000Z',
        updated_at: '2026-11-15T09:30:00.000Z',
      },
    ],
  },
);
export type Bot = Static<typeof Bot>;

export const WebhookSecret = Type.Object(
  { bot_id: Uuid, webhook_secret: Type.String() },
  {
    examples: [{ bot_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90', webhook_secret: `whsec_${'x'.repeat(43)}` }],
  },
);
