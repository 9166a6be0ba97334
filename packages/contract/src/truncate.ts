import { type Static, Type } from 'typebox';
import { OneOf, Strict, Uuid } from './common.ts';

export const Truncate = Strict(
  {
    message_id: Uuid,
    revert_files: Type.Optional(
      Type.Boolean({
        description:
          'Also undo the file changes that the removed calls made on paired machines, where nobody has changed the files since. What commands did is not undone.',
      }),
    ),
  },
  {
    examples: [
      { message_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e94' },
      { message_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e94', revert_files: true },
    ],
  },
);
export type Truncate = Static<typeof Truncate>;

export const TruncatePreviewQuery = Strict({ message_id: Uuid });

export const RevertedFile = Type.Object({
  path: Type.String(),
  machine_id: Uuid,
  status: OneOf(['restored', 'deleted', 'changed_since', 'failed'], {
    description:
      '`restored`: it has its earlier content again. `deleted`: it did not exist before. `changed_since`: it was changed after that, and left as it is.',
  }),
  reason: Type.Optional(Type.String({ description: 'Why it was left as it is.' })),
});
export type RevertedFile = Static<typeof RevertedFile>;

export const Truncated = Type.Object(
  {
    message: Type.String(),
    removed_messages: Type.Integer(),
    cancelled_approvals: Type.Integer(),
    executed_tool_calls: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
      description: 'Effects outside that cannot be undone, or that were not.',
    }),
    reverted_files: Type.Optional(
      Type.Array(RevertedFile, {
        description: 'With `revert_files`: each changed file, the latest change first.',
      }),
    ),
  },
  {
    $id: 'Truncated',
    examples: [
      {
        message: 'Everything after that message was removed.',
        removed_messages: 4,
        cancelled_approvals: 0,
        executed_tool_calls: [],
      },
    ],
  },
);
export type Truncated = Static<typeof Truncated>;
