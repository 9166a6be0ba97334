import type { IncomingHttpHeaders } from 'node:http';
import type { ConsoleSession, SignIn } from '@svc/contract/console-session';
import { abilitiesOf, hasRole } from '@svc/contract/roles';
import { validate as isUuid } from 'uuid';
import type { MemberPrincipal, Person, Visit } from '../http/member-principal.ts';
import { AppError } from '../lib/app-error.ts';
import type { Watchers } from '../lib/watchers.ts';
import { tooManySignIns } from '../limits/request-limits.ts';
import type { Services } from '../services.ts';
import type { Identity } from './identity/identity.ts';
import type { KnownBrowsers } from './identity/known-browsers.ts';
import { createPasswordQueue } from './identity/password-queue.ts';
import { memberStore } from './members.store.ts';
import { signedOut } from './signed-out.ts';

export interface MemberDependencies extends Pick<Services, 'clock' | 'database' | 'limits'> {
  identity: Identity;
  watchers: Watchers;
  knownBrowsers: Pick<KnownBrowsers, 'find'>;
}

export { membersChannel } from './members.store.ts';
export type MemberService = ReturnType<typeof createMemberService>;

/** Sessions, and what a person who has one may do in a workspace. */
export function createMemberService(dependencies: MemberDependencies) {
  const { database, identity, watchers, limits, knownBrowsers, clock } = dependencies;
  const inPasswordQueue = createPasswordQueue();

  async function enter(person: Omit<Person, 'cookies'>, workspaceId: string): Promise<MemberPrincipal> {
    const found = isUuid(workspaceId)
      ? await memberStore.findMembership(database.within(workspaceId), workspaceId, person.userId)
      : undefined;
    if (!found) throw notAMember();
    const { role, limits: stored } = found;
    const { userId, sessionId, name, email } = person;
    return {
      workspaceId: workspaceId.toLowerCase(),
      keyId: userId,
      abilities: abilitiesOf(role),
      hasAll: role === 'owner',
      expiresAt: null,
      limits: stored,
      async confirm(tx) {
        const current = await memberStore.holdRole(tx, workspaceId, userId);
        if (current === undefined) throw notAMember();
        if (!hasRole(current, role))
          throw new AppError('FORBIDDEN', {
            message: `Your role has changed to ${current}.`,
            details: [{ role }],
          });
      },
      member: { id: userId, name, email, role, sessionId },
    };
  }

  return {
    hasCookie: identity.hasCookie,
    onChanged: watchers.watch,

    /** The person of a valid session. Throws UNAUTHORIZED without one. */
    async requirePerson(headers: IncomingHttpHeaders): Promise<Person> {
      const person = identity.hasCookie(headers) ? await identity.find(headers) : undefined;
      if (!person) throw signedOut();
      return person;
    },

    /** The person as a caller in a workspace. Another workspace is like one that does not exist. */
    enter,

    /** The same for a member who came in earlier and may have been signed out, removed or given another role since. */
    async enterAgain({ workspaceId, member }: MemberPrincipal): Promise<MemberPrincipal> {
      const { id: userId, sessionId, name, email } = member;
      const isOpen = await memberStore.hasSessionAcrossWorkspaces(
        database.acrossWorkspaces,
        sessionId,
        clock.now(),
      );
      if (!isOpen) throw signedOut();
      return enter({ userId, sessionId, name, email }, workspaceId);
    },

    async describeSession(
      headers: IncomingHttpHeaders,
    ): Promise<{ session: ConsoleSession; cookies: string[] }> {
      const person = identity.hasCookie(headers) ? await identity.find(headers) : undefined;
      if (!person) {
        const needsSetUp = !(await memberStore.hasUsersAcrossWorkspaces(database.acrossWorkspaces));
        const nobody = { user: null, workspaces: [], can_create_workspaces: false, needs_setup: needsSetUp };
        return { session: nobody, cookies: [] };
      }
      const { userId: id, name, email, cookies } = person;
      const found = await memberStore.listWorkspacesAcrossWorkspaces(database.acrossWorkspaces, id);
      const session = {
        user: { id, name, email },
        workspaces: found.map((one) => ({ id: one.workspaceId, name: one.workspaceName, role: one.role })),
        can_create_workspaces: found.some(({ isDefault, role }) => isDefault && role === 'owner'),
        needs_setup: false,
      };
      return { session, cookies };
    },

    /** Returns the cookies of the new session. */
    async signIn({ email, password }: SignIn, { headers, address }: Visit): Promise<string[]> {
      const browser = knownBrowsers.find(email, headers);
      const rate = await limits.countSignIn({ person: email.toLowerCase(), address, browser });
      if (rate.isOver) throw tooManySignIns(rate);
      const cookies = await inPasswordQueue(rate, () => identity.signIn(email, password, headers));
      if (!cookies) throw new AppError('UNAUTHORIZED', { message: 'Email or password is wrong.' });
      return cookies;
    },

    /** Ends the session, on open sockets too. Returns the cookies that end it in the browser. */
    async signOut(headers: IncomingHttpHeaders): Promise<string[]> {
      const person = identity.hasCookie(headers) ? await identity.find(headers) : undefined;
      const cookies = await identity.signOut(headers);
      if (person) await memberStore.notifyAcrossWorkspaces(database.acrossWorkspaces, person.userId);
      return cookies;
    },
  };
}

/** The same whether the workspace exists or not. */
function notAMember(): AppError {
  return new AppError('FORBIDDEN', {
    message: 'You are not a member of this workspace.',
    details: [{ path: 'x-svc-workspace' }],
  });
}
