import { type Static, Type } from 'typebox';
import { Nullable, OneOf, ReadOnly, Strict, Timestamp, Uuid } from './common.ts';

const example = { id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8ea1', name: 'ada-laptop' };

export const MachineCreate = Strict(
  {
    name: Type.String({ minLength: 1, maxLength: 200, description: 'What people call it.' }),
    ...ReadOnly(['id', 'status', 'platform', 'version', 'roots', 'sandbox', 'last_seen_at', 'created_at']),
  },
  { examples: [{ name: example.name }] },
);
export type MachineCreate = Static<typeof MachineCreate>;

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
