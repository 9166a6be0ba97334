import { type Static, Type } from 'typebox';
import { Nullable, Strict, Timestamp, Uuid } from './common.ts';
import { maxMessageCharacters } from './conversations.ts';

/** Characters of a branch's first message that a list shows. */
export const maxBranchText = 200;
export const maxBranches = 100;

export const EditMessage = Strict(
  { content: Type.String({ minLength: 1, maxLength: maxMessageCharacters }) },
  { examples: [{ content: 'Where is my second parcel?' }] },
);
export type EditMessage = Static<typeof EditMessage>;

const example = {
  id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8ea1',
  after_message_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e94',
  first_message_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e95',
  text: 'Where is my second parcel?',
  is_current: true,
  created_at: '2026-11-15T09:30:00.000Z',
};

export const Branch = Type.Object(
  {
    id: Uuid,
    after_message_id: Nullable(
      Type.String({
        format: 'uuid',
        description:
          'The message that it follows, as do the others of the same place; null if it begins the conversation.',
      }),
    ),
    first_message_id: Type.String({ format: 'uuid', description: "The user's message that it begins with." }),
    text: Type.String({
      description: `What the user wrote in it first; at most ${maxBranchText} characters.`,
    }),
    is_current: Type.Boolean({ description: 'It is the one that was chosen at its place.' }),
    created_at: Timestamp,
  },
  { $id: 'Branch', examples: [example] },
);
export type Branch = Static<typeof Branch>;

export const BranchChoice = Strict({ branch_id: Uuid }, { examples: [{ branch_id: example.id }] });
export type BranchChoice = Static<typeof BranchChoice>;
