import { type Static, Type } from 'typebox';
import { AuditActor } from './audit.ts';
import { Nullable, notBlank, Strict, Timestamp, Uuid } from './common.ts';
import { externalUserIdLimit } from './end-users.ts';

export const maxHoldReasonCharacters = 1_000;

const held = {
  external_user_id: Type.String({
    minLength: 1,
    maxLength: externalUserIdLimit,
    description: 'Every conversation of this person, later ones too.',
  }),
  conversation_id: Type.String({ ...Uuid, description: 'This conversation.' }),
};

export const LegalHoldCreate = Strict(
  {
    external_user_id: Type.Optional(held.external_user_id),
    conversation_id: Type.Optional(held.conversation_id),
    reason: Type.String({
      minLength: 1,
      maxLength: maxHoldReasonCharacters,
      ...notBlank,
      description: 'Why, such as the number of a case. The audit log keeps it, so name no end user here.',
    }),
  },
  { examples: [{ external_user_id: 'customer-118', reason: 'Case 2026-118' }] },
);
export type LegalHoldCreate = Static<typeof LegalHoldCreate>;

export const LegalHold = Type.Object(
  {
    id: Uuid,
    external_user_id: Nullable(held.external_user_id),
    conversation_id: Nullable(held.conversation_id),
    reason: Type.String(),
    created_at: Timestamp,
    created_by: AuditActor,
  },
  {
    $id: 'LegalHold',
    description: 'Without a person and a conversation it holds the whole workspace.',
    examples: [
      {
        id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8eb0',
        external_user_id: 'customer-118',
        conversation_id: null,
        reason: 'Case 2026-118',
        created_at: '2026-11-15T09:30:00.000Z',
        created_by: { type: 'member', id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8ea0', name: 'Ada Lovelace' },
      },
    ],
  },
);
export type LegalHold = Static<typeof LegalHold>;
