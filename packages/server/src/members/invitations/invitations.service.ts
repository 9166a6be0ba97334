import type {
  Invitation,
  InvitationAcceptance,
  InvitationConfirmation,
  InvitationCreate,
  NewInvitation,
  OpenInvitation,
} from '@svc/contract/console-session';
import { visibleText } from '@svc/contract/visible-text';
import { recordChange } from '../../audit/audit.service.ts';
import type { Transaction } from '../../database/database.ts';
import type { Person, Visit } from '../../http/member-principal.ts';
import type { RecordAnswer } from '../../idempotency/idempotency.service.ts';
import { actAs } from '../../lib/actor.ts';
import { AppError, invalid, notFound } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import { tooManySignIns } from '../../limits/request-limits.ts';
import type { Services } from '../../services.ts';
import type { Identity } from '../identity/identity.ts';
import { type LinkRow, memberStore } from '../members.store.ts';
import { badLink, expiryOf, hashToken, newToken, usedLink } from '../one-time-links.ts';
import { signedOut } from '../signed-out.ts';
import { invitationStore } from './invitations.store.ts';

export type InvitationService = ReturnType<typeof createInvitationService>;

/** An invitation that can still be accepted. */
interface OpenLink {
  id: string;
  workspaceId: string;
  role: Invitation['role'];
  /** Null for an open one, which cannot be used to join: it is exchanged for one that names an address, by a mail to that address. */
  email: string | null;
  /** The open one that it was sent for. */
  openedFrom: string | null;
}

const sentHours = 24;
const maxMailMilliseconds = 60_000;

export function createInvitationService(
  dependencies: Pick<
    Services,
    'clock' | 'database' | 'limits' | 'noteChange' | 'publicUrl' | 'sendMail' | 'workspaces'
  > & { identity: Identity },
) {
  const { database, identity, workspaces, limits, sendMail, noteChange, publicUrl, clock } = dependencies;

  /** Throws if the link does not work. */
  async function find(token: string, address: string): Promise<OpenLink & { hash: Buffer }> {
    const hash = hashToken(token);
    const query = database.acrossWorkspaces;
    const link = await memberStore.findLinkAcrossWorkspaces(query, 'invitation', hash, clock.now());
    if (!link) throw await badLink(limits, 'invitation', address);
    return { ...toOpenLink(link), hash };
  }

  return {
    async list(workspaceId: string): Promise<Invitation[]> {
      const rows = await invitationStore.list(database.within(workspaceId), workspaceId, clock.now());
      return rows.map(toWire);
    },

    /** Returns the link too, which cannot be shown again. `createdBy` is null for the operator at the command line. */
    async create(
      workspaceId: string,
      createdBy: string | null,
      { role, email }: InvitationCreate,
      record: RecordAnswer<NewInvitation>,
    ): Promise<NewInvitation> {
      if (email === undefined && !sendMail)
        throw invalid('email', 'is required: without a mail server, an invitation is for one person only');
      const { token, hash } = newToken();
      return database.within(workspaceId).transaction(async (tx) => {
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
      await database.within(workspaceId).transaction(async (tx) => {
        if (!(await invitationStore.delete(tx, workspaceId, id))) throw notFound();
        await recordChange(tx, workspaceId, { action: 'invitation.revoked', object: { id } });
      });
    },

    /** What the link invites to. */
    async show(token: string, { address }: Visit): Promise<OpenInvitation> {
      const { workspaceId, role, email } = await find(token, address);
      return { workspace_name: (await workspaces.get(workspaceId)).name, role, email };
    },

    /** Mails an open invitation to an address, as one that names it. A repeat replaces what was sent to the address before. */
    async sendTo({ token, email }: InvitationConfirmation, { address }: Visit): Promise<void> {
      const open = await find(token, address);
      if (open.email !== null) throw invalid('token', 'is of an invitation that names its person already');
      if (!sendMail)
        throw invalid(
          'token',
          'is of an open invitation, but no mail can be sent: ask for one with your email',
        );
      const { id, workspaceId, role } = open;
      const rate = await limits.countInvitationMail(id, workspaceId);
      if (rate.isOver) throw tooManySignIns(rate);
      const to = email.toLowerCase();
      const { token: sent, hash: tokenHash } = newToken();
      await database.within(workspaceId).transaction(async (tx) => {
        const locked = await invitationStore.lock(tx, workspaceId, id);
        if (!locked) throw usedLink();
        await invitationStore.deleteSent(tx, workspaceId, id, to);
        const last = clock.now().getTime() + sentHours * 3_600_000;
        const expiresAt = new Date(Math.min(last, locked.expiresAt.getTime()));
        const link = {
          purpose: 'invitation',
          tokenHash,
          workspaceId,
          role,
          email: to,
          openedFrom: id,
        } as const;
        await memberStore.insertLinkAcrossWorkspaces(tx, { ...link, expiresAt });
      });
      const { name } = await workspaces.get(workspaceId);
      const mail = confirmationMail(to, name, `${publicUrl}/invite?token=${sent}`);
      try {
        await sendMail(mail, AbortSignal.timeout(maxMailMilliseconds));
      } catch (cause) {
        await invitationStore.deleteSent(database.within(workspaceId), workspaceId, id, to);
        throw new AppError('UPSTREAM_FAILED', {
          message: 'The mail could not be sent: try again later.',
          cause,
        });
      }
    },

    /** Adds the person who is signed in to the workspace. */
    async acceptAs(person: Person, token: string, { address }: Visit): Promise<{ workspaceId: string }> {
      const link = await find(token, address);
      const email = requireAddress(link);
      if (email !== person.email.toLowerCase()) {
        throw new AppError('FORBIDDEN', {
          message: `This invitation is for ${email}, and you are signed in as ${person.email}.`,
        });
      }
      const { userId: id, name } = person;
      const workspaceId = await database.acrossWorkspaces.transaction(async (tx) => {
        if (!(await memberStore.lockUserAcrossWorkspaces(tx, id))) throw signedOut();
        return take(tx, link, { id, name, email: person.email });
      });
      noteChange(workspaceId, 'member', id);
      return { workspaceId };
    },

    /** Creates an account in the workspace. Returns the cookies of its session. */
    async acceptAsNewPerson(body: InvitationAcceptance, { headers, address }: Visit) {
      const { token } = body;
      const link = await find(token, address);
      const invited = requireAddress(link);
      const name = required('name', body.name);
      const email = required('email', body.email);
      const password = required('password', body.password);
      if (invited !== email.toLowerCase())
        throw invalid('email', `must be ${invited}: the invitation is for that person`);
      if (await memberStore.findUserAcrossWorkspaces(database.acrossWorkspaces, email)) throw hasAccount();
      const hashed = await identity.hashPassword(password);
      const user = { id: newId(), name, email };
      const workspaceId = await database.acrossWorkspaces.transaction((tx) =>
        take(tx, link, user, async () => {
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
    { hash, openedFrom, workspaceId, role }: OpenLink & { hash: Buffer },
    { id, name, email }: { id: string; name: string; email: string },
    addUser: () => Promise<void> = async () => undefined,
  ): Promise<string> {
    // Locked first, so that of several people with the same open invitation one joins.
    if (openedFrom && !(await invitationStore.lock(tx, workspaceId, openedFrom))) throw usedLink();
    if (!(await memberStore.takeLinkAcrossWorkspaces(tx, 'invitation', hash, clock.now()))) throw usedLink();
    if (openedFrom) await invitationStore.delete(tx, workspaceId, openedFrom);
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
  const { id, workspaceId, role, email, openedFrom } = link;
  return { id, workspaceId, role, email, openedFrom };
}

/** The address that an invitation is for. */
function requireAddress({ email }: OpenLink): string {
  if (email === null)
    throw invalid(
      'token',
      'is of an open invitation: enter your email, then use the link that is sent to it',
    );
  return email;
}

function confirmationMail(to: string, workspaceName: string, link: string) {
  // Somebody else has chosen the name.
  const name = visibleText(workspaceName.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '));
  return {
    to,
    subject: `Join ${name}`,
    text: [
      `Somebody has entered this address to join the workspace "${name}".`,
      '',
      'If it was you, join here. The link works once, for 24 hours:',
      link,
      '',
      'If it was not you, ignore this mail.',
      '',
    ].join('\n'),
  };
}

function required(path: string, value: string | undefined): string {
  if (value === undefined) throw invalid(path, 'is required for a new account');
  return value;
}

function hasAccount(): AppError {
  return invalid('email', 'has an account already: sign in, then open the link again');
}

function toWire(link: LinkRow): Invitation {
  const { id, role, email } = toOpenLink(link);
  return {
    id,
    role,
    email,
    created_by: link.createdBy,
    created_at: link.createdAt.toISOString(),
    expires_at: link.expiresAt.toISOString(),
  };
}
