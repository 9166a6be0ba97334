import { type Static, Type } from 'typebox';
import { Nullable, OneOf, ReadOnly, Strict, Timestamp, Uuid } from './common.ts';
import { confirmations, policies } from './machine-protocol.ts';

const example = { id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8ea1', name: 'ada-laptop' };

const known = [
  'id',
  'status',
  'platform',
  'version',
  'roots',
  'sandbox',
  'policy',
  'confirmation',
  'runs_commands',
  'last_seen_at',
  'created_at',
] as const;

export const MachineCreate = Strict(
  {
    name: Type.String({ minLength: 1, maxLength: 200, description: 'What people call it.' }),
    ...ReadOnly([...known, 'owner', 'allowed_members', 'allowed_bots']),
  },
  { examples: [{ name: example.name }] },
);
export type MachineCreate = Static<typeof MachineCreate>;

const maxAllowed = 1000;

export const MachineUpdate = Strict(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    allowed_members: Type.Optional(
      Type.Array(Uuid, {
        maxItems: maxAllowed,
        uniqueItems: true,
        description: 'The members who may use it besides its owner. Replaces the list.',
      }),
    ),
    allowed_bots: Type.Optional(
      Type.Array(Uuid, {
        maxItems: maxAllowed,
        uniqueItems: true,
        description: 'The bots that may work on it, for people who may use it. Replaces the list.',
      }),
    ),
    ...ReadOnly([...known, 'owner']),
  },
  { examples: [{ name: 'build-server', allowed_members: [] }] },
);
export type MachineUpdate = Static<typeof MachineUpdate>;

export const PairedMachine = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    token: Type.String({
      description: 'The machine key. It is stored only as a hash and shown this one time.',
    }),
  },
  { $id: 'PairedMachine', examples: [{ ...example, token: `svc_mk_${'x'.repeat(43)}` }] },
);
export type PairedMachine = Static<typeof PairedMachine>;

export const Machine = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    status: OneOf(['online', 'offline', 'revoked']),
    platform: Nullable(Type.String({ description: 'Null until it first connects.' })),
    version: Nullable(Type.String({ description: 'Of the daemon that runs on it.' })),
    roots: Type.Array(Type.String(), { description: 'The folders that its owner lets agents work in.' }),
    sandbox: Nullable(
      OneOf(['bubblewrap', 'none'], { description: 'Whether commands see nothing but the project.' }),
    ),
    policy: Nullable(
      OneOf(policies, {
        description:
          'The least that its daemon asks for, whatever the service says. Null until it reports one.',
      }),
    ),
    confirmation: Nullable(
      OneOf(confirmations, {
        description:
          'Who confirms what the policy asks about: a person at its `terminal`, or the `service`, which says that somebody approved it.',
      }),
    ),
    runs_commands: Nullable(
      Type.Boolean({ description: 'False where commands are refused, such as without a sandbox.' }),
    ),
    owner: Nullable(
      Type.Object({
        type: OneOf(['member', 'key'], {
          description: 'An account key owns what it paired if no member made the key.',
        }),
        id: Uuid,
        name: Nullable(Type.String()),
      }),
    ),
    allowed_members: Type.Array(Uuid, { description: 'The members who may use it besides its owner.' }),
    allowed_bots: Type.Array(Uuid, { description: 'The bots that may work on it.' }),
    last_seen_at: Nullable(Timestamp),
    created_at: Timestamp,
  },
  {
    $id: 'Machine',
    examples: [
      {
        ...example,
        status: 'online',
        platform: 'linux',
        version: '0.1.0',
        roots: ['/home/ada/shop'],
        sandbox: 'bubblewrap',
        policy: 'ask',
        confirmation: 'terminal',
        runs_commands: true,
        owner: { type: 'member', id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8ec3', name: 'Ada' },
        allowed_members: [],
        allowed_bots: ['0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8eb2'],
        last_seen_at: '2026-11-15T09:30:00.000Z',
        created_at: '2026-11-15T09:30:00.000Z',
      },
    ],
  },
);
export type Machine = Static<typeof Machine>;

/** What a machine key stands for. */
export const MachineIdentity = Type.Object({ id: Uuid, name: Type.String() }, { examples: [example] });
export type MachineIdentity = Static<typeof MachineIdentity>;
