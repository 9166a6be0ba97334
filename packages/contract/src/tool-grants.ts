import { type Static, Type } from 'typebox';
import { Nullable, Timestamp, Uuid } from './common.ts';

/** A person's word that all calls of a tool by a bot may run without asking. */
export const ToolGrant = Type.Object(
  {
    id: Uuid,
    tool_id: Uuid,
    tool_name: Type.String({ description: 'As the model called it when the grant was given.' }),
    bot_id: Uuid,
    bot_name: Type.String(),
    expires_at: Nullable(Timestamp),
    created_at: Timestamp,
    created_by: Type.String({ description: 'The member or key that gave it.' }),
    created_by_name: Nullable(Type.String()),
  },
  {
    $id: 'ToolGrant',
    examples: [
      {
        id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e9d',
        tool_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e92',
        tool_name: 'refund',
        bot_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
        bot_name: 'Support',
        expires_at: null,
        created_at: '2026-11-15T09:30:00.000Z',
        created_by: 'member:0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e99',
        created_by_name: 'Ada',
      },
    ],
  },
);
export type ToolGrant = Static<typeof ToolGrant>;
