import { type Static, Type } from 'typebox';
import { abilities } from './abilities.ts';
import { Nullable, OneOf, ReadOnly, Strict, Timestamp, Uuid } from './common.ts';

const GrantedAbilities = Type.Array(OneOf(['all', ...abilities]), {
  description: '`["all"]` includes abilities that are added later.',
  examples: [['bots:read', 'chat:write']],
});

const example = {
  id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e99',
  name: 'ci',
  abilities: ['bots:read', 'chat:write'],
  workspace_id: '0198c2a4-0000-7000-8000-2b1a6c5d8e90',
  expires_at: '2099-01-31T00:00:00.000Z',
};

export const AccountKeyCreate = Strict(
  {
    name: Type.String({ minLength: 1, maxLength: 200, description: 'What it is for.' }),
    abilities: Type.Union([
      Type.Literal('all'),
      Type.Array(OneOf(['all', ...abilities]), { minItems: 1, maxItems: 100 }),
    ]),
    expires_at: Type.Optional(
      Nullable({ ...Timestamp, description: 'When it stops working; never, when left out or null.' }),
    ),
    ...ReadOnly(['id', 'workspace_id', 'hint', 'created_by', 'created_at', 'revoked_at', 'last_used_at']),
  },
  {
    examples: [
      { name: example.name, abilities: example.abilities, expires_at: example.expires_at },
      { name: 'operations', abilities: 'all' },
    ],
  },
);
export type AccountKeyCreate = Static<typeof AccountKeyCreate>;

const properties = {
  id: Uuid,
  name: Type.String(),
  abilities: GrantedAbilities,
  workspace_id: Uuid,
  expires_at: Nullable(Timestamp),
};

/** A key as it is shown this one time. */
export const CreatedAccountKey = Type.Object(
  { ...properties, key: Type.String({ description: 'The key itself. It is stored only as a hash.' }) },
  { $id: 'CreatedAccountKey', examples: [{ ...example, key: `svc_sk_${'x'.repeat(43)}` }] },
);
export type CreatedAccountKey = Static<typeof CreatedAccountKey>;

export const AccountKey = Type.Object(
  {
    ...properties,
    hint: Type.String({ description: 'The last four characters of the key.' }),
    created_by: Nullable(
      Type.String({
        format: 'uuid',
        description: 'The key or the member that created it; null for one that was created on the server.',
      }),
    ),
    created_at: Timestamp,
    revoked_at: Nullable(Timestamp),
    last_used_at: Nullable({ ...Timestamp, description: 'To within half a minute; null if never.' }),
  },
  {
    $id: 'AccountKey',
    examples: [
      {
        ...example,
        hint: 'k3Qa',
        created_by: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e98',
        created_at: '2026-11-15T09:30:00.000Z',
        revoked_at: null,
        last_used_at: '2026-11-15T10:12:00.000Z',
      },
    ],
  },
);
export type AccountKey = Static<typeof AccountKey>;
