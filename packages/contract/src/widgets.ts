import { type Static, Type } from 'typebox';
import { AllOptional, Nullable, notBlank, OneOf, ReadOnly, Strict, Timestamp, Uuid } from './common.ts';

const botId = '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90';
const keyExample = {
  id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8eb1',
  bot_id: botId,
  api_key: `svc_${'x'.repeat(43)}`,
  name: 'shop.example.com',
  allowed_domains: ['shop.example.com', '*.example.org'],
  rate_limit_per_hour: 1000,
  visitor_messages_per_hour: 60,
  visitor_usd_per_day: '1',
  verifies_identity: false,
  is_active: true,
  created_at: '2026-11-15T09:30:00.000Z',
  expires_at: null,
  last_used_at: null,
  last_used_host: null,
};

/** What a site has to be, in a sentence that begins with "must be". */
export const siteExpected =
  'a host such as shop.example.com, a host with its port such as localhost:5173, or *.example.com, without a path';

const keySettings = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  allowed_domains: Type.Array(
    Type.String({
      minLength: 1,
      maxLength: 300,
      pattern: '^(https?://)?[^\\s/\\\\?#@%]+/?$',
      'x-expected': siteExpected,
      description:
        'A host, a host with its port, or `*.` and a domain. The `https://` and the last `/` of an address are dropped.',
    }),
    {
      maxItems: 100,
      description:
        "Pages of these hosts may use the key: `shop.example.com`, `localhost:5173`, or `*.example.com` for every subdomain. If it is empty, only the service's own pages may.",
    },
  ),
  rate_limit_per_hour: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'Messages per hour that all visitors together may send. 1,000 by default.',
  }),
  visitor_messages_per_hour: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    description: 'Messages per hour of one visitor. 60 by default.',
  }),
  visitor_usd_per_day: Nullable(
    Type.String({
      pattern: '^\\d{1,9}(\\.\\d{1,9})?$',
      'x-expected': 'an amount in USD such as "0.50"',
      description: 'What one visitor may cost within 24 hours, in USD. 1 by default; null for no limit.',
    }),
  ),
};

const readOnlyKeyFields = [
  'id',
  'api_key',
  'verifies_identity',
  'is_active',
  'created_at',
  'expires_at',
  'last_used_at',
  'last_used_host',
] as const;

export const WidgetKeyCreate = Strict(
  {
    bot_id: Uuid,
    ...AllOptional(keySettings),
    name: keySettings.name,
    allowed_domains: keySettings.allowed_domains,
    ...ReadOnly(readOnlyKeyFields),
  },
  {
    examples: [
      {
        bot_id: botId,
        name: 'shop.example.com',
        allowed_domains: ['shop.example.com'],
        rate_limit_per_hour: 1000,
      },
    ],
  },
);
export type WidgetKeyCreate = Static<typeof WidgetKeyCreate>;

export const WidgetKeyUpdate = Strict(
  {
    ...AllOptional(keySettings),
    ...ReadOnly([...readOnlyKeyFields, 'bot_id']),
  },
  { examples: [{ allowed_domains: ['shop.example.com', 'www.example.com'] }] },
);
export type WidgetKeyUpdate = Static<typeof WidgetKeyUpdate>;

export const WidgetKey = Type.Object(
  {
    id: Uuid,
    bot_id: Uuid,
    api_key: Type.String({ description: 'Public: it stands in the HTML of the pages that use it.' }),
    ...keySettings,
    verifies_identity: Type.Boolean({
      description: 'Visitors can prove who they are: the key has an identity secret.',
    }),
    is_active: Type.Boolean(),
    created_at: Timestamp,
    expires_at: Nullable(
      Type.String({ format: 'date-time', description: 'Set on test keys, which last for 24 hours.' }),
    ),
    last_used_at: Nullable(Timestamp),
    last_used_host: Nullable(Type.String({ description: 'The host of the page that last used it.' })),
  },
  { $id: 'WidgetKey', examples: [keyExample] },
);
export type WidgetKey = Static<typeof WidgetKey>;

/** The secret with which a site signs the ids of its users. */
export const IdentitySecret = Type.Object(
  { identity_secret: Type.String({ description: 'Shown this one time.' }) },
  { $id: 'IdentitySecret', examples: [{ identity_secret: `svc_is_${'x'.repeat(43)}` }] },
);
export type IdentitySecret = Static<typeof IdentitySecret>;

export const widgetPositions = ['bottom-right', 'bottom-left', 'top-right', 'top-left'] as const;
export type WidgetPosition = (typeof widgetPositions)[number];

export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
export type Weekday = (typeof weekdays)[number];

/** When a widget asks its visitors for their name and email address. */
export const detailQuestions = ['never', 'before_chat', 'outside_hours'] as const;
export type DetailQuestion = (typeof detailQuestions)[number];

const OpeningTime = Strict(
  {
    day: OneOf<Weekday[]>([...weekdays]),
    opens: Type.String({
      pattern: '^([01]\\d|2[0-3]):[0-5]\\d$',
      'x-expected': 'a time such as 09:00',
      description: 'By the clock of the time zone.',
    }),
    closes: Type.String({
      pattern: '^(([01]\\d|2[0-3]):[0-5]\\d|24:00)$',
      'x-expected': 'a time such as 17:30, or 24:00',
      description: 'Later than `opens`, on the same day, at 24:00 at the latest: a night has two entries.',
    }),
  },
  { 'x-later': ['opens', 'closes'] },
);

/** When people of the team are there. The bot always is. */
export const OfficeHours = Strict({
  time_zone: Type.String({ minLength: 1, maxLength: 64, examples: ['Europe/Berlin'] }),
  opening_times: Type.Array(OpeningTime, {
    maxItems: 28,
    description: 'A day can have several, or none.',
  }),
  closed_text: Type.String({
    minLength: 1,
    maxLength: 300,
    ...notBlank,
    description: 'What visitors read outside of these times.',
  }),
});
export type OfficeHours = Static<typeof OfficeHours>;

/** The look of a bot's widget where nothing was chosen. */
export const defaultCustomization = {
  theme_color: '#4f46e5',
  position: 'bottom-right',
  greeting_text: 'Hi! How can I help?',
  welcome_message: null,
  avatar_url: null,
  show_branding: true,
  widget_title: null,
  placeholder_text: 'Type a message…',
  voice_enabled: false,
  attachments_enabled: false,
  ask_details: 'never',
  office_hours: null,
} as const;

const picture = {
  maxLength: 2000,
  description: 'An https address of a picture. Visitors load it through this service.',
};

const look = {
  theme_color: Type.String({
    pattern: '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$',
    'x-expected': 'a hex color such as #4f46e5',
    description: 'A CSS hex color: `#4f46e5` or `#45e`.',
  }),
  position: OneOf([...widgetPositions]),
  greeting_text: Type.String({ maxLength: 200, description: 'One line in the header.' }),
  welcome_message: Nullable(
    Type.String({ maxLength: 2000, description: 'The first message that a visitor sees, as markdown.' }),
  ),
  avatar_url: Nullable(Type.String(picture)),
  show_branding: Type.Boolean(),
  widget_title: Nullable(Type.String({ maxLength: 60, description: "The bot's name if it is null." })),
  placeholder_text: Type.String({ maxLength: 100 }),
  voice_enabled: Type.Boolean({
    description: 'Visitors can talk to the bot with their microphone, where speech is set up for it.',
  }),
  attachments_enabled: Type.Boolean({
    description: 'Visitors can send images and PDFs with their messages.',
  }),
  ask_details: OneOf<DetailQuestion[]>([...detailQuestions], {
    description:
      'When visitors are asked for their name and email address before their first message. They can leave both empty.',
  }),
  office_hours: Nullable(OfficeHours),
};

export const WidgetCustomizationUpdate = Strict(
  {
    bot_id: Uuid,
    ...AllOptional({ ...look, avatar_url: Nullable(Type.String({ ...picture, format: 'https-url' })) }),
    ...ReadOnly(['id', 'created_at', 'updated_at']),
  },
  { examples: [{ bot_id: botId, theme_color: '#0f766e', widget_title: 'Shop help' }] },
);
export type WidgetCustomizationUpdate = Static<typeof WidgetCustomizationUpdate>;

export const WidgetCustomization = Type.Object(
  { id: Uuid, bot_id: Uuid, ...look, created_at: Timestamp, updated_at: Timestamp },
  {
    $id: 'WidgetCustomization',
    examples: [
      {
        id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8eb2',
        bot_id: botId,
        ...defaultCustomization,
        created_at: '2026-11-15T09:30:00.000Z',
        updated_at: '2026-11-15T09:30:00.000Z',
      },
    ],
  },
);
export type WidgetCustomization = Static<typeof WidgetCustomization>;

export const WidgetSummary = Type.Object(
  {
    bot_id: Uuid,
    active_keys: Type.Integer(),
    last_used_at: Nullable(Timestamp),
    last_used_host: Nullable(Type.String()),
  },
  {
    $id: 'WidgetSummary',
    examples: [{ bot_id: botId, active_keys: 1, last_used_at: null, last_used_host: null }],
  },
);
export type WidgetSummary = Static<typeof WidgetSummary>;

export const WidgetBotQuery = Strict({ bot_id: Uuid });
export const EmbedCodeQuery = Strict({
  bot_id: Uuid,
  api_key_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: "The key to embed; the bot's newest active one if left out.",
    }),
  ),
});

export const EmbedCode = Type.Object(
  {
    embed_code: Type.String({ description: 'HTML to paste into a page.' }),
    api_key: Type.String(),
  },
  {
    $id: 'EmbedCode',
    examples: [
      {
        embed_code: `<script src="https://agents.example.com/widget.js" data-key="${keyExample.api_key}" async></script>`,
        api_key: keyExample.api_key,
      },
    ],
  },
);
export type EmbedCode = Static<typeof EmbedCode>;
