import type {
  Invitation,
  InvitationAcceptance,
  InvitationCreate,
  NewInvitation,
  OpenInvitation,
} from '@svc/contract/console-session';
import { actAs } from '../../actor.ts';
import { AppError, invalid, notFound } from '../../app-error.ts';
import { recordChange } from '../../audit/service.ts';
import type { Clock } from '../../clock.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { NoteChange } from '../../events/workspace-changes.ts';
import type { Person, Visit } from '../../http/member-principal.ts';
import type { RecordAnswer } from '../../idempotency/service.ts';
import type { RequestLimits } from '../../limits/request-limits.ts';
import { newId } from '../../new-id.ts';
import type { WorkspaceService } from '../../workspaces/service.ts';
import type { Identity } from '../identity/identity.ts';
import { badLink, expiryOf, hashToken, newToken, usedLink } from '../links.ts';
import { signedOut } from '../signed-out.ts';
import { type LinkRow, memberStore } from '../store.ts';
import { invitationStore } from './store.ts';

export interface InvitationDependencies {
  database: Database;
  identity: Identity;
  workspaces: Pick<WorkspaceService, 'get'>;
  limits: Pick<RequestLimits, 'countBadLink'>;
  noteChange: NoteChange;
  publicUrl: string;
  clock: Clock;
}

export type InvitationService = ReturnType<typeof createInvitationService>;

/** An invitation that can still be accepted. */
interface OpenLink {
  workspaceId: string;
  role: Invitation['role'];
  email: string | null;
}

export function createInvitationService(dependencies: InvitationDependencies) {
  const { database, identity, workspaces, limits, noteChange, publicUrl, clock } = dependencies;

  /** Throws if the link does not work. */
  async function find(token: string, address: string): Promise<OpenLink & { hash: Buffer }> {
    const hash = hashToken(token);
    const query = database.query;
    const link = await memberStore.findLinkAcrossWorkspaces(query, 'invitation', hash, clock.now());
    if (!link) throw await badLink(limits, 'invitation', address);
    return { ...toOpenLink(link), hash };
  }

  return {
    async list(workspaceId: string): Promise<Invitation[]> {
      const rows = await invitationStore.list(database.query, workspaceId, clock.now());
      return rows.map(toWire);
    },

    /** Returns the link too, which cannot be shown again. `createdBy` is null for the operator at the command line. */
    async create(
      workspaceId: string,
      createdBy: string | null,
      { role, email }: InvitationCreate,
      record: RecordAnswer<NewInvitation>,
    ): Promise<NewInvitation> {
      const { token, hash } = newToken();
      return database.transaction(async (tx) => {
        if (createdBy !== null) await requireOwner(tx, workspaceId, createdBy);
        const row = await memberStore.insertLinkAcrossWorkspaces(tx, {
          purpose: 'invitation',
          tokenHash: hash,
          workspaceId,
          role,
          email: email?.toLowerCase() ?? null,
          createdBy,
          expiresAt: expiryOf('invitation', clock),
        });
        const answer = { ...toWire(row), url: `${publicUrl}/invite?token=${token}` };
        const after = { role, email: row.email, expires_at: answer.expires_at };
        await recordChange(tx, workspaceId, { action: 'invitation.created', object: { id: row.id }, after });
        await record(tx, answer);
        return answer;
      });
    },

    async revoke(workspaceId: string, id: string): Promise<void> {
      await database.transaction(async (tx) => {
        if (!(await invitationStore.delete(tx, workspaceId, id))) throw notFound();
        await recordChange(tx, workspaceId, { action: 'invitation.revoked', object: { id } });
      });
    },

    /** What the link invites to. */
    async show(token: string, { address }: Visit): Promise<OpenInvitation> {
      const { workspaceId, role, email } = await find(token, address);
      return { workspace_name: (await workspaces.get(workspaceId)).name, role, email };
    },

    /** Adds the person who is signed in to the workspace. */
    async acceptAs(person: Person, token: string, { address }: Visit): Promise<{ workspaceId: string }> {
      const { email, hash } = await find(token, address);
      if (email !== null && email !== person.email.toLowerCase()) {
        throw new AppError('FORBIDDEN', {
          message: `This invitation is for ${email}, and you are signed in as ${person.email}.`,
        });
      }
      const { userId: id, name } = person;
      const workspaceId = await database.transaction(async (tx) => {
        if (!(await memberStore.lockUserAcrossWorkspaces(tx, id))) throw signedOut();
        return take(tx, hash, { id, name, email: person.email });
      });
      noteChange(workspaceId, 'member', id);
      return { workspaceId };
    },

    /** Creates an account in the workspace. Returns the cookies of its session. */
    async acceptAsNewPerson(
      body: InvitationAcceptance,
      { headers, address }: Visit,
    ): Promise<{ workspaceId: string; cookies: string[] }> {
      const { token } = body;
      const { email: invited, hash } = await find(token, address);
      const name = required('name', body.name);
      const email = required('email', body.email);
      const password = required('password', body.password);
      if (invited !== null && invited !== email.toLowerCase())
        throw invalid('email', `must be ${invited}: the invitation is for that person`);
      if (await memberStore.findUserAcrossWorkspaces(database.query, email)) throw hasAccount();
      const hashed = await identity.hashPassword(password);
      const user = { id: newId(), name, email };
      const workspaceId = await database.transaction((tx) =>
        take(tx, hash, user, async () => {
          if (!(await memberStore.insertUserAcrossWorkspaces(tx, user, hashed))) throw hasAccount();
        }),
      );
      noteChange(workspaceId, 'member', user.id);
      return { workspaceId, cookies: await identity.openSession(email, password, headers) };
    },
  };

  /** Uses the link up and makes somebody a member. Returns the workspace. */
  async function take(
    tx: Transaction,
    hash: Buffer,
    { id, name, email }: { id: string; name: string; email: string },
    addUser: () => Promise<void> = async () => undefined,
  ): Promise<string> {
    const link = await memberStore.takeLinkAcrossWorkspaces(tx, 'invitation', hash, clock.now());
    const { workspaceId, role } = toOpenLink(link);
    await addUser();
    if (!(await memberStore.insert(tx, workspaceId, id, role))) throw isMember();
    const joined = { action: 'member.joined', object: { id, name }, after: { email, role } } as const;
    await actAs({ type: 'member', id, name }, () => recordChange(tx, workspaceId, joined));
    return workspaceId;
  }
}

/** Locks the members, so that somebody who loses the role meanwhile leaves no link behind. */
async function requireOwner(tx: Transaction, workspaceId: string, userId: string): Promise<void> {
  const members = await memberStore.lock(tx, workspaceId);
  if (members.some((one) => one.userId === userId && one.role === 'owner')) return;
  throw new AppError('FORBIDDEN', {
    message: 'Only an owner can invite people.',
    details: [{ role: 'owner' }],
  });
}

/** The link stays unused, for somebody else. */
function isMember(): AppError {
  return invalid('token', 'is of a workspace that you are a member of already');
}

function toOpenLink(link: LinkRow | undefined): OpenLink {
  if (!link?.workspaceId || !link.role) throw usedLink();
  return { workspaceId: link.workspaceId, role: link.role, email: link.email };
}

function required(path: string, value: string | undefined): string {
  if (value === undefined) throw invalid(path, 'is required for a new account');
  return value;
}

function hasAccount(): AppError {
  return invalid('email', 'has an account already: sign in, then open the link again');
}

function toWire(link: LinkRow): Invitation {
  const { workspaceId: _workspaceId, ...open } = toOpenLink(link);
  return {
    id: link.id,
    ...open,
    created_by: link.createdBy,
    created_at: link.createdAt.toISOString(),
    expires_at: link.expiresAt.toISOString(),
  };
}
