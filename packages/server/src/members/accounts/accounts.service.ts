import type { PasswordReset, ProfileUpdate, SetUp } from '@svc/contract/console-session';
import { recordChange } from '../../audit/audit.service.ts';
import type { Database } from '../../database/database.ts';
import type { Person, Visit } from '../../http/member-principal.ts';
import { actAs } from '../../lib/actor.ts';
import { invalid, notFound } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/new-id.ts';
import { type RequestLimits, tooManySignIns } from '../../limits/request-limits.ts';
import type { WorkspaceService } from '../../workspaces/workspaces.service.ts';
import type { Identity } from '../identity/identity.ts';
import { memberStore } from '../members.store.ts';
import { badLink, expiryOf, hashToken, newToken, usedLink } from '../one-time-links.ts';

export interface AccountDependencies {
  database: Database;
  identity: Identity;
  workspaces: Pick<WorkspaceService, 'getDefault' | 'rename'>;
  limits: Pick<RequestLimits, 'countBadLink' | 'countPasswordCheck'>;
  publicUrl: string;
  clock: Clock;
}

export type AccountService = ReturnType<typeof createAccountService>;

/** The accounts of people: the first one, passwords, names. */
export function createAccountService(dependencies: AccountDependencies) {
  const { database, identity, workspaces, limits, publicUrl, clock } = dependencies;

  /** Throws if the link does not work, before the password is hashed, which is slow on purpose. */
  async function checkLink(purpose: 'setup' | 'reset', token: string, address: string): Promise<Buffer> {
    const hash = hashToken(token);
    const link = await memberStore.findLinkAcrossWorkspaces(
      database.acrossWorkspaces,
      purpose,
      hash,
      clock.now(),
    );
    if (!link) throw await badLink(limits, purpose, address);
    return hash;
  }

  return {
    /** A link with which the first person creates their account; undefined once somebody has one. Several nodes may each make one. */
    async makeSetUpLink(): Promise<string | undefined> {
      const { token, hash } = newToken();
      return database.acrossWorkspaces.transaction(async (tx) => {
        await memberStore.lockSetUpAcrossWorkspaces(tx);
        if (await memberStore.hasUsersAcrossWorkspaces(tx)) return undefined;
        const expiresAt = expiryOf('setup', clock);
        await memberStore.insertLinkAcrossWorkspaces(tx, { purpose: 'setup', tokenHash: hash, expiresAt });
        return `${publicUrl}/setup?token=${token}`;
      });
    },

    /** Creates the first account, the owner of the default workspace, and signs it in. */
    async setUp(body: SetUp, { headers, address }: Visit): Promise<string[]> {
      const { token, name, email, password, workspace_name: workspaceName } = body;
      const hash = await checkLink('setup', token, address);
      const hashed = await identity.hashPassword(password);
      await database.acrossWorkspaces.transaction(async (tx) => {
        await memberStore.lockSetUpAcrossWorkspaces(tx);
        const link = await memberStore.takeLinkAcrossWorkspaces(tx, 'setup', hash, clock.now());
        if (!link || (await memberStore.hasUsersAcrossWorkspaces(tx))) throw usedLink();
        await memberStore.deleteLinksAcrossWorkspaces(tx, 'setup');
        const userId = newId();
        await memberStore.insertUserAcrossWorkspaces(tx, { id: userId, name, email }, hashed);
        const workspace = await workspaces.getDefault(tx);
        await memberStore.insert(tx, workspace.id, userId, 'owner');
        await actAs({ type: 'member', id: userId, name }, async () => {
          const object = { id: userId, name };
          const after = { email, role: 'owner' };
          await recordChange(tx, workspace.id, { action: 'member.joined', object, after });
          if (workspaceName) await workspaces.rename(tx, workspace.id, workspaceName);
        });
      });
      return identity.openSession(email, password, headers);
    },

    /** A link with which a person sets a new password. Links that were made for them before stop working. */
    async makeResetLink(email: string): Promise<string> {
      const user = await memberStore.findUserAcrossWorkspaces(database.acrossWorkspaces, email);
      if (!user) throw notFound();
      const { token, hash } = newToken();
      await database.acrossWorkspaces.transaction(async (tx) => {
        await memberStore.deleteLinksAcrossWorkspaces(tx, 'reset', user.id);
        const link = { purpose: 'reset', tokenHash: hash, expiresAt: expiryOf('reset', clock) } as const;
        await memberStore.insertLinkAcrossWorkspaces(tx, { ...link, userId: user.id });
      });
      return `${publicUrl}/reset?token=${token}`;
    },

    /** Sets a new password, ends every session of the person, and signs them in. */
    async reset({ token, password }: PasswordReset, { headers, address }: Visit): Promise<string[]> {
      const hash = await checkLink('reset', token, address);
      const hashed = await identity.hashPassword(password);
      const email = await database.acrossWorkspaces.transaction(async (tx) => {
        const link = await memberStore.takeLinkAcrossWorkspaces(tx, 'reset', hash, clock.now());
        if (!link?.userId) throw usedLink();
        await memberStore.setPasswordAcrossWorkspaces(tx, link.userId, hashed);
        return memberStore.emailOfAcrossWorkspaces(tx, link.userId);
      });
      return identity.openSession(email, password, headers);
    },

    /** A new password ends the person's other sessions. */
    async updateProfile(person: Person, body: ProfileUpdate): Promise<void> {
      const { name, password, current_password: current } = body;
      const hashed = password === undefined ? undefined : await replacePassword(password, current);
      const { userId, sessionId } = person;
      await database.acrossWorkspaces.transaction(async (tx) => {
        if (name !== undefined) await memberStore.renameUserAcrossWorkspaces(tx, userId, name);
        if (hashed) await memberStore.setPasswordAcrossWorkspaces(tx, userId, hashed, sessionId);
      });

      async function replacePassword(next: string, given: string | undefined): Promise<string> {
        if (given === undefined) throw invalid('current_password', 'is required with a new password');
        const rate = await limits.countPasswordCheck(person.userId);
        if (rate.isOver) throw tooManySignIns(rate);
        const stored = await memberStore.findPasswordAcrossWorkspaces(
          database.acrossWorkspaces,
          person.userId,
        );
        if (!stored || !(await identity.verifyPassword(stored, given)))
          throw invalid('current_password', 'is wrong');
        return identity.hashPassword(next);
      }
    },
  };
}
