import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Strict, Timestamp, Uuid } from './common.ts';
import { externalUserIdLimit } from './end-users.ts';
import { widgetPositions } from './widgets.ts';

const apiKey = Type.String({ minLength: 1, maxLength: 100, description: 'The widget key of the page.' });

export const WidgetKeyQuery = Strict({ key: apiKey });

export const AvatarQuery = Strict({
  key: apiKey,
  version: Type.Optional(Type.String({ maxLength: 100, description: 'Changes with the picture.' })),
});

export const LookQuery = Strict({
  key: apiKey,
  language: Type.Optional(
    Type.String({ maxLength: 100, description: "The page's language, such as `de` or `pt-BR`." }),
  ),
});

/** How a widget looks, and what it says where English is not the page's language. */
export const WidgetLook = Type.Object(
  {
    theme_color: Type.String(),
    position: OneOf([...widgetPositions]),
    title: Type.String(),
    greeting_text: Type.String(),
    welcome_message: Nullable(Type.String()),
    placeholder_text: Type.String(),
    avatar_url: Nullable(Type.String({ description: 'An address of this service.' })),
    show_branding: Type.Boolean(),
    voice: Type.Boolean({ description: 'Visitors can talk to the bot with their microphone.' }),
    attachments: Type.Boolean({ description: 'Visitors can send images and PDFs with their messages.' }),
    asks_details: Type.Boolean({
      description: 'Visitors are asked for their name and email address before their first message.',
    }),
    closed_text: Nullable(Type.String({ description: 'Outside of the office hours, what visitors read.' })),
    texts: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: "The widget's own texts in the page's language; empty for English.",
    }),
  },
  {
    $id: 'WidgetLook',
    examples: [
      {
        theme_color: '#4f46e5',
        position: 'bottom-right',
        title: 'Support',
        greeting_text: 'Hi! How can I help?',
        welcome_message: null,
        placeholder_text: 'Type a message…',
        avatar_url: null,
        show_branding: true,
        voice: false,
        attachments: false,
        asks_details: false,
        closed_text: null,
        texts: {},
      },
    ],
  },
);
export type WidgetLook = Static<typeof WidgetLook>;

export const VisitorTokenCreate = Strict(
  {
    renewal_token: Type.Optional(
      Type.String({
        maxLength: 4000,
        description:
          'From an earlier answer: the visitor stays the same. That of a user of the site works for 24 hours after the site has vouched for them.',
      }),
    ),
    user_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: externalUserIdLimit,
        description: "The site's own id of a signed-in user.",
      }),
    ),
    user_hash: Type.Optional(
      Type.String({
        pattern: '^(\\d{1,12}\\.)?[0-9a-fA-F]{64}$',
        'x-expected':
          'an HMAC-SHA256 in hex, which has 64 digits, or an expiry in seconds since 1970, a dot and such an HMAC',
        description:
          "HMAC-SHA256 of `user_id` with the key's identity secret, in hex. Required with `user_id`. With an expiry, in seconds since 1970: `<expiry>.<HMAC>`, where the HMAC is of `<HMAC of user_id in hex>.<expiry>`.",
      }),
    ),
  },
  { examples: [{}] },
);
export type VisitorTokenCreate = Static<typeof VisitorTokenCreate>;

export const VisitorToken = Type.Object(
  {
    token: Type.String({ description: 'For the other requests of the widget, as a bearer token.' }),
    expires_at: Timestamp,
    renewal_token: Type.String({ description: 'Yields the next token for the same visitor.' }),
    visitor_id: Type.String({ description: 'The `external_user_id` of the conversations.' }),
  },
  {
    $id: 'VisitorToken',
    examples: [
      {
        token: 'svc_ut_eyJ3Ijoi….Zk3v',
        expires_at: '2026-11-15T10:30:00.000Z',
        renewal_token: 'svc_rt_eyJ3Ijoi….9aQx',
        visitor_id: 'visitor_0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
      },
    ],
  },
);
export type VisitorToken = Static<typeof VisitorToken>;

export const VisitorBranchQuery = Strict({ key: apiKey, conversation_id: Uuid });

export const VisitorBranchChoice = Strict(
  { conversation_id: Uuid, branch_id: Uuid },
  {
    examples: [
      {
        conversation_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e93',
        branch_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8ea1',
      },
    ],
  },
);
export type VisitorBranchChoice = Static<typeof VisitorBranchChoice>;

export const VisitorStreamQuery = Strict({
  key: apiKey,
  conversation_id: Uuid,
  after: Type.Optional(Type.Integer({ minimum: 0, description: 'Start after this event id.' })),
});
