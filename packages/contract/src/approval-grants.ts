import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Strict, Timestamp, Uuid } from './common.ts';

/** Where a grant counts. */
export const GrantScope = OneOf(['conversation', 'machine'], {
  description:
    '`conversation`: only in this conversation. `machine`: in all conversations of the same end user with the same bot on the same machine.',
});
export type GrantScope = Static<typeof GrantScope>;

const granted = {
  kind: OneOf(['edits', 'command'], {
    description:
      '`edits`: changes of files in the directory. `command`: exactly this command, in exactly this directory.',
  }),
  directory: Type.String({ description: 'A real path on the machine, without links.' }),
  command: Nullable(Type.String()),
};

/** What a person can allow together with a call, so that they are not asked about the next one. */
export const GrantOffer = Type.Object(granted);
export type GrantOffer = Static<typeof GrantOffer>;

export const ApprovalGrant = Type.Object(
  {
    id: Uuid,
    ...granted,
    scope: GrantScope,
    machine_id: Uuid,
    machine_name: Type.String(),
    bot_id: Uuid,
    bot_name: Type.String(),
    conversation_id: Type.Unsafe<string>({ ...Uuid, description: 'Where it was given; it ends with it.' }),
    created_at: Timestamp,
    created_by: Type.String({ description: 'The member or key that gave it.' }),
    created_by_name: Nullable(Type.String()),
  },
  {
    $id: 'ApprovalGrant',
    examples: [
      {
        id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e9b',
        kind: 'command',
        directory: '/home/ada/shop',
        command: 'npm test',
        scope: 'conversation',
        machine_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e9a',
        machine_name: 'ada-laptop',
        bot_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
        bot_name: 'Coder',
        conversation_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e93',
        created_at: '2026-11-15T09:30:00.000Z',
        created_by: 'member:0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e99',
        created_by_name: 'Ada',
      },
    ],
  },
);
export type ApprovalGrant = Static<typeof ApprovalGrant>;

export const GrantsQuery = Strict({
  conversation_id: Type.Optional(
    Type.Unsafe<string>({ ...Uuid, description: 'Only those that were given in this conversation.' }),
  ),
  machine_id: Type.Optional(Uuid),
});
export type GrantsQuery = Static<typeof GrantsQuery>;
