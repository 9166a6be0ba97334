import { type Static, Type } from 'typebox';
import { Nullable, notBlank, ReadOnly, Strict } from './common.ts';
import { emailPattern } from './email-pattern.ts';

export const maxNameCharacters = 80;

const Name = Type.String({ minLength: 1, maxLength: maxNameCharacters, ...notBlank });
const Email = Type.String({
  maxLength: 254,
  pattern: emailPattern,
  'x-expected': 'an email address',
});

/** What is known of an end user besides their conversations. Nobody has verified it. */
export const EndUserDetails = Type.Object(
  {
    external_user_id: Type.String(),
    name: Nullable(
      Type.String({ description: 'As they gave it, or as the team corrected it. It proves nothing.' }),
    ),
    email: Nullable(Type.String()),
    page_url: Nullable(
      Type.String({ description: 'The page from which they last wrote, without query and fragment.' }),
    ),
    page_title: Nullable(Type.String()),
    browser: Nullable(Type.String({ description: 'Such as `Firefox on Windows`.' })),
    seen_at: Nullable(
      Type.String({ format: 'date-time', description: 'When the widget last said where they are.' }),
    ),
  },
  {
    $id: 'EndUserDetails',
    examples: [
      {
        external_user_id: 'visitor_0198c2a4-7d10-4c3e-9f4e-2b1a6c5d8e90',
        name: 'Mia Meyer',
        email: 'mia@example.com',
        page_url: 'https://shop.example.com/cart',
        page_title: 'Your cart',
        browser: 'Firefox on Windows',
        seen_at: '2026-11-15T09:30:00.000Z',
      },
    ],
  },
);
export type EndUserDetails = Static<typeof EndUserDetails>;

export const EndUserDetailsUpdate = Strict(
  {
    name: Type.Optional(Nullable(Name)),
    email: Type.Optional(Nullable(Email)),
    ...ReadOnly(['external_user_id', 'page_url', 'page_title', 'browser', 'seen_at']),
  },
  { examples: [{ name: 'Mia Meyer', email: 'mia@example.com' }] },
);
export type EndUserDetailsUpdate = Static<typeof EndUserDetailsUpdate>;

/** What a widget says of its visitor. What is left out stays as it is. */
export const VisitorDetails = Strict(
  {
    name: Type.Optional(Name),
    email: Type.Optional(Email),
    page_url: Type.Optional(
      Type.String({
        maxLength: 2000,
        description: 'An address of the site that sends it. Its query and fragment are not stored.',
      }),
    ),
    page_title: Type.Optional(Type.String({ maxLength: 200 })),
  },
  { examples: [{ page_url: 'https://shop.example.com/cart', page_title: 'Your cart' }] },
);
export type VisitorDetails = Static<typeof VisitorDetails>;
