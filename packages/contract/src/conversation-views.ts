import { type Static, Type } from 'typebox';
import { channelNames } from './channels.ts';
import { OneOf, Strict, Timestamp, Uuid } from './common.ts';
import { conversationStatuses, inboxStates, ratings } from './conversations.ts';

export const maxConversationViews = 50;

const Name = Type.String({
  minLength: 1,
  maxLength: 40,
  pattern: '\\S',
  'x-expected': 'a text that is not blank',
});

/** What a view can select by. Days are left out: a view with fixed ones would soon show nothing new. */
export const ViewFilter = Strict({
  q: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'What the search field of the console finds.' }),
  ),
  bot_id: Type.Optional(Uuid),
  channel: Type.Optional(OneOf([...channelNames])),
  external_user_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  status: Type.Optional(OneOf(conversationStatuses)),
  needs_human: Type.Optional(Type.Literal(true)),
  assignee: Type.Optional(
    Type.Union([Uuid, Type.Literal('none'), Type.Literal('me')], {
      'x-expected': 'the id of a member, none or me',
      description: '`me` is whoever looks.',
    }),
  ),
  state: Type.Optional(OneOf([...inboxStates])),
  rating: Type.Optional(OneOf([...ratings])),
  label: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
});
export type ViewFilter = Static<typeof ViewFilter>;

const example = { name: 'VIP', filter: { state: 'open' as const, label: 'vip' } };

/** A filter that the team has given a name. */
export const ConversationView = Type.Object(
  { id: Uuid, name: Name, filter: ViewFilter, created_at: Timestamp },
  {
    $id: 'ConversationView',
    examples: [
      { id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e9d', ...example, created_at: '2026-11-15T09:30:00.000Z' },
    ],
  },
);
export type ConversationView = Static<typeof ConversationView>;

export const ConversationViewCreate = Strict({ name: Name, filter: ViewFilter }, { examples: [example] });
export type ConversationViewCreate = Static<typeof ConversationViewCreate>;
