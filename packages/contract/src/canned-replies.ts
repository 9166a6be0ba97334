import { type Static, Type } from 'typebox';
import { ReadOnly, Strict, Timestamp, Uuid } from './common.ts';

/** What `{{…}}` in a canned reply can stand for. */
export const cannedReplyPlaceholders = ['operator', 'bot', 'user'] as const;
export type CannedReplyPlaceholder = (typeof cannedReplyPlaceholders)[number];

export const maxCannedReplies = 500;

const Shortcut = Type.String({
  pattern: '^[a-z0-9][a-z0-9-]{0,39}$',
  'x-expected': 'small letters, digits and hyphens, at most 40 of them',
  description: 'What people type to find it.',
});

const Text = Type.String({
  minLength: 1,
  maxLength: 4000,
  description:
    'May contain {{operator}}, {{bot}} and {{user}}: the names of the person who writes, of the bot, and of the user, who may have given none. The program in which it is used fills them in.',
});

const example = {
  shortcut: 'returns',
  text: 'You can send it back within 30 days. {{operator}}',
};

/** A text that people of the team write again and again. */
export const CannedReply = Type.Object(
  { id: Uuid, shortcut: Shortcut, text: Text, created_at: Timestamp, updated_at: Timestamp },
  {
    $id: 'CannedReply',
    examples: [
      {
        id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e9c',
        ...example,
        created_at: '2026-11-15T09:30:00.000Z',
        updated_at: '2026-11-15T09:30:00.000Z',
      },
    ],
  },
);
export type CannedReply = Static<typeof CannedReply>;

export const CannedReplyCreate = Strict(
  { shortcut: Shortcut, text: Text, ...ReadOnly(['id', 'created_at', 'updated_at']) },
  { examples: [example] },
);
export type CannedReplyCreate = Static<typeof CannedReplyCreate>;

export const CannedReplyUpdate = Strict(
  {
    shortcut: Type.Optional(Shortcut),
    text: Type.Optional(Text),
    ...ReadOnly(['id', 'created_at', 'updated_at']),
  },
  { examples: [{ text: 'You can send it back within 60 days.' }] },
);
export type CannedReplyUpdate = Static<typeof CannedReplyUpdate>;
