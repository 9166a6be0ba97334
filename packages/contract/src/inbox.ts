import { type Static, Type } from 'typebox';
import { Strict } from './common.ts';

/** How the people of a workspace share conversations. */
export const InboxSettings = Strict(
  {
    assigns_in_turn: Type.Boolean({
      description:
        'What begins to wait for a person is assigned to the members who are at the console, one after the other.',
    }),
  },
  { $id: 'InboxSettings', examples: [{ assigns_in_turn: true }] },
);
export type InboxSettings = Static<typeof InboxSettings>;
