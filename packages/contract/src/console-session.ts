import { type Static, Type } from 'typebox';
import { Nullable, notBlank, OneOf, Strict, Timestamp, Uuid } from './common.ts';
import { emailPattern } from './email-pattern.ts';
import { type Role as RoleName, roles } from './roles.ts';

export const Role = OneOf<RoleName[]>([...roles], {
  description:
    '`viewer` reads. `operator` also answers, runs and changes bots, tools and knowledge. `owner` also manages members, keys and the workspace.',
});

export const maxPasswordCharacters = 128;
export const minPasswordCharacters = 10;

const Name = Type.String({ minLength: 1, maxLength: 80, ...notBlank });
const emailText = { pattern: emailPattern, maxLength: 254, 'x-expected': 'an email address' };
const Email = Type.String(emailText);
const NewPassword = Type.String({ minLength: minPasswordCharacters, maxLength: maxPasswordCharacters });
const Token = Type.String({ minLength: 1, maxLength: 100, description: 'From the link.' });

const exampleUser = {
  id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8ea0',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
};
const exampleWorkspace = { id: '0198c2a4-0000-7000-8000-2b1a6c5d8e90', name: 'Acme', role: 'owner' };

export const ConsoleUser = Type.Object({ id: Uuid, name: Type.String(), email: Type.String() });
export type ConsoleUser = Static<typeof ConsoleUser>;

export const ConsoleSession = Type.Object(
  {
    user: Nullable(ConsoleUser),
    workspaces: Type.Array(Type.Object({ id: Uuid, name: Type.String(), role: Role })),
    can_create_workspaces: Type.Boolean({ description: 'An owner of the first workspace can.' }),
    needs_setup: Type.Boolean({ description: 'Nobody has an account yet: the set-up link makes the first.' }),
  },
  {
    $id: 'ConsoleSession',
    description: 'The person who is signed in; null for nobody.',
    examples: [
      { user: exampleUser, workspaces: [exampleWorkspace], can_create_workspaces: true, needs_setup: false },
    ],
  },
);
export type ConsoleSession = Static<typeof ConsoleSession>;

export const SignIn = Strict(
  { email: Email, password: Type.String({ minLength: 1, maxLength: maxPasswordCharacters }) },
  { examples: [{ email: exampleUser.email, password: 'correct horse battery' }] },
);
export type SignIn = Static<typeof SignIn>;

export const SetUp = Strict(
  {
    token: Token,
    name: Name,
    email: Email,
    password: NewPassword,
    workspace_name: Type.Optional(Name),
  },
  {
    examples: [
      {
        token: 'Zm9yIGV4YW1wbGU',
        name: exampleUser.name,
        email: exampleUser.email,
        password: 'correct horse battery',
        workspace_name: 'Acme',
      },
    ],
  },
);
export type SetUp = Static<typeof SetUp>;

export const PasswordReset = Strict(
  { token: Token, password: NewPassword },
  { examples: [{ token: 'Zm9yIGV4YW1wbGU', password: 'correct horse battery' }] },
);
export type PasswordReset = Static<typeof PasswordReset>;

export const ProfileUpdate = Strict(
  {
    name: Type.Optional(Name),
    password: Type.Optional(NewPassword),
    current_password: Type.Optional(
      Type.String({ maxLength: maxPasswordCharacters, description: 'Required with a new password.' }),
    ),
  },
  { examples: [{ name: 'Ada' }] },
);
export type ProfileUpdate = Static<typeof ProfileUpdate>;

export const Member = Type.Object(
  { id: Uuid, name: Type.String(), email: Type.String(), role: Role, created_at: Timestamp },
  { $id: 'Member', examples: [{ ...exampleUser, role: 'owner', created_at: '2026-11-15T09:30:00.000Z' }] },
);
export type Member = Static<typeof Member>;

export const MemberUpdate = Strict({ role: Role }, { examples: [{ role: 'viewer' }] });
export type MemberUpdate = Static<typeof MemberUpdate>;

export const MemberHoldingsQuery = Strict({ role: Type.Optional(Role) });

export const MemberHolding = Type.Object(
  {
    type: OneOf(['key', 'machine', 'machine_use', 'identity_secret', 'approval_notice', 'invitation']),
    id: Type.String({
      ...Uuid,
      description:
        'Of an identity secret: that of its widget key. Of the use of a machine: that of the machine. Of an approval notice: that of its bot.',
    }),
    name: Nullable(Type.String({ description: 'Of an invitation: its email; null if it names nobody.' })),
    created_at: Timestamp,
    is_revoked: Type.Boolean({ description: 'It exceeds what is left of the rights of the member.' }),
  },
  {
    $id: 'MemberHolding',
    examples: [
      {
        type: 'key',
        id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e99',
        name: 'ci',
        created_at: '2026-11-15T09:30:00.000Z',
        is_revoked: true,
      },
    ],
  },
);
export type MemberHolding = Static<typeof MemberHolding>;

export const InvitationCreate = Strict(
  {
    role: Role,
    email: Type.Optional(
      Type.String({
        ...emailText,
        description:
          'Only this person can accept it. Without it, whoever opens the link must confirm an address by mail, so the service needs a mail server.',
      }),
    ),
  },
  { examples: [{ role: 'operator', email: 'grace@example.com' }] },
);
export type InvitationCreate = Static<typeof InvitationCreate>;

const exampleInvitation = {
  id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8ea1',
  role: 'operator',
  email: 'grace@example.com',
  created_by: exampleUser.id,
  created_at: '2026-11-15T09:30:00.000Z',
  expires_at: '2026-11-22T09:30:00.000Z',
};

const invitationProperties = {
  id: Uuid,
  role: Role,
  email: Nullable(Type.String()),
  created_by: Nullable(Uuid),
  created_at: Timestamp,
  expires_at: Timestamp,
};

export const Invitation = Type.Object(invitationProperties, {
  $id: 'Invitation',
  examples: [exampleInvitation],
});
export type Invitation = Static<typeof Invitation>;

export const NewInvitation = Type.Object(
  { ...invitationProperties, url: Type.String({ description: 'The link to send. Shown only now.' }) },
  {
    $id: 'NewInvitation',
    examples: [{ ...exampleInvitation, url: 'https://svc.example.com/invite?token=…' }],
  },
);
export type NewInvitation = Static<typeof NewInvitation>;

export const InvitationLookUp = Strict({ token: Token }, { examples: [{ token: 'Zm9yIGV4YW1wbGU' }] });

export const InvitationConfirmation = Strict(
  { token: Token, email: Email },
  { examples: [{ token: 'Zm9yIGV4YW1wbGU', email: 'grace@example.com' }] },
);
export type InvitationConfirmation = Static<typeof InvitationConfirmation>;

export const OpenInvitation = Type.Object(
  {
    workspace_name: Type.String(),
    role: Role,
    email: Nullable(
      Type.String({ description: 'Who can accept it. Null: an address has to be confirmed by mail first.' }),
    ),
  },
  { examples: [{ workspace_name: 'Acme', role: 'operator', email: null }] },
);
export type OpenInvitation = Static<typeof OpenInvitation>;

export const InvitationAcceptance = Strict(
  {
    token: Token,
    name: Type.Optional(Name),
    email: Type.Optional(Email),
    password: Type.Optional(NewPassword),
  },
  {
    description: 'A person who is signed in sends only the token.',
    examples: [
      {
        token: 'Zm9yIGV4YW1wbGU',
        name: 'Grace Hopper',
        email: 'grace@example.com',
        password: 'correct horse battery',
      },
    ],
  },
);
export type InvitationAcceptance = Static<typeof InvitationAcceptance>;

export const AcceptedInvitation = Type.Object(
  { workspace_id: Uuid },
  { examples: [{ workspace_id: exampleWorkspace.id }] },
);
export type AcceptedInvitation = Static<typeof AcceptedInvitation>;

export const ConsoleWorkspace = Type.Object(
  { id: Uuid, name: Type.String() },
  { $id: 'ConsoleWorkspace', examples: [{ id: exampleWorkspace.id, name: 'Acme' }] },
);
export type ConsoleWorkspace = Static<typeof ConsoleWorkspace>;

export const WorkspaceName = Strict({ name: Name }, { examples: [{ name: 'Acme' }] });
export type WorkspaceName = Static<typeof WorkspaceName>;
