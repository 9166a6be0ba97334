import type { ConsoleWorkspace, Member } from '@svc/contract/console-session';
import { hasRole, type Role } from '@svc/contract/roles';
import { AppError, notFound } from '../../app-error.ts';
import { recordChange } from '../../audit/service.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { MemberPrincipal, Person } from '../../http/member-principal.ts';
import type { WorkspaceService } from '../../workspaces/service.ts';
import { signedOut } from '../signed-out.ts';
import { type MemberRow, memberStore } from '../store.ts';

export interface TeamDependencies {
  database: Database;
  workspaces: Pick<WorkspaceService, 'create' | 'rename'>;
}

interface Found {
  member: MemberRow;
  /** The person is an owner, and nobody else is. */
  isLastOwner: boolean;
}

export type TeamService = ReturnType<typeof createTeamService>;

/** The members of a workspace. */
export function createTeamService({ database, workspaces }: TeamDependencies) {
  /** Locks the members until the transaction ends. */
  async function find(tx: Transaction, workspaceId: string, userId: string): Promise<Found> {
    await memberStore.lock(tx, workspaceId);
    const members = await memberStore.list(tx, workspaceId);
    const member = members.find(({ id }) => id === userId);
    if (!member) throw notFound();
    const isLastOwner = members.every(({ id, role }) => (role === 'owner') === (id === userId));
    return { member, isLastOwner };
  }

  /** Whoever is not an owner any more could come back, or let others in, with a link made before. */
  async function revokeInvitationsBy(tx: Transaction, workspaceId: string, userId: string): Promise<void> {
    for (const id of await memberStore.deleteInvitationsBy(tx, workspaceId, userId))
      await recordChange(tx, workspaceId, { action: 'invitation.revoked', object: { id } });
  }

  async function remove(tx: Transaction, workspaceId: string, { member, isLastOwner }: Found): Promise<void> {
    const { id, name, email, role } = member;
    if (isLastOwner) throw new AppError('LAST_OWNER');
    await memberStore.delete(tx, workspaceId, id);
    await revokeInvitationsBy(tx, workspaceId, id);
    const before = { email, role };
    await recordChange(tx, workspaceId, { action: 'member.removed', object: { id, name }, before });
  }

  return {
    async list(workspaceId: string): Promise<Member[]> {
      return (await memberStore.list(database.within(workspaceId), workspaceId)).map(toWire);
    },

    /** Takes effect immediately, on open sockets too. */
    async changeRole(workspaceId: string, userId: string, role: Role): Promise<Member> {
      return database.within(workspaceId).transaction(async (tx) => {
        const { member, isLastOwner } = await find(tx, workspaceId, userId);
        if (isLastOwner && role !== 'owner') throw new AppError('LAST_OWNER');
        await memberStore.setRole(tx, workspaceId, userId, role);
        if (role !== 'owner') await revokeInvitationsBy(tx, workspaceId, userId);
        await recordChange(tx, workspaceId, {
          action: 'member.updated',
          object: { id: userId, name: member.name },
          before: { role: member.role },
          after: { role },
        });
        return toWire({ ...member, role });
      });
    },

    /** Owners remove others; everybody can leave. */
    async remove({ workspaceId, member }: MemberPrincipal, userId: string): Promise<void> {
      await database.within(workspaceId).transaction(async (tx) => {
        const found = await find(tx, workspaceId, userId);
        if (userId !== member.id && !hasRole(member.role, 'owner')) {
          throw new AppError('FORBIDDEN', {
            message: 'Only an owner can remove other members.',
            details: [{ role: 'owner' }],
          });
        }
        await remove(tx, workspaceId, found);
      });
    },

    async rename(workspaceId: string, name: string): Promise<ConsoleWorkspace> {
      await database.within(workspaceId).transaction((tx) => workspaces.rename(tx, workspaceId, name));
      return { id: workspaceId, name };
    },

    /**
     * Whoever runs the installation can make further workspaces: the owners of the one that every installation has. Owners of
     * others cannot, because a new workspace has no limits.
     */
    async createWorkspace({ userId }: Person, name: string): Promise<ConsoleWorkspace> {
      return database.acrossWorkspaces.transaction(async (tx) => {
        if (!(await memberStore.lockUserAcrossWorkspaces(tx, userId))) throw signedOut();
        const found = await memberStore.listWorkspacesAcrossWorkspaces(tx, userId);
        if (!found.some(({ isDefault, role }) => isDefault && role === 'owner')) {
          throw new AppError('FORBIDDEN', {
            message: 'Only owners of the first workspace can create further ones.',
          });
        }
        const workspace = await workspaces.create(tx, name);
        await memberStore.insert(tx, workspace.id, userId, 'owner');
        return { id: workspace.id, name: workspace.name };
      });
    },

    /** For the operator at the command line: the members of all workspaces. */
    listAll: () => memberStore.listAllAcrossWorkspaces(database.acrossWorkspaces),

    /** The same: removes a person from a workspace. */
    async removeByEmail(workspaceId: string, email: string): Promise<void> {
      const user = await memberStore.findUserAcrossWorkspaces(database.acrossWorkspaces, email);
      if (!user) throw notFound();
      await database
        .within(workspaceId)
        .transaction(async (tx) => remove(tx, workspaceId, await find(tx, workspaceId, user.id)));
    },

    /** The same: deletes a person with their sessions, and removes them from every workspace. */
    async deleteByEmail(email: string): Promise<void> {
      const user = await memberStore.findUserAcrossWorkspaces(database.acrossWorkspaces, email);
      if (!user) throw notFound();
      await database.acrossWorkspaces.transaction(async (tx) => {
        // A workspace that the person joins or creates meanwhile would not be looked at, and could lose its only owner.
        if (!(await memberStore.lockUserAcrossWorkspaces(tx, user.id))) throw notFound();
        const found = await memberStore.listWorkspacesAcrossWorkspaces(tx, user.id);
        for (const { workspaceId } of found)
          await remove(tx, workspaceId, await find(tx, workspaceId, user.id));
        await memberStore.deleteUserAcrossWorkspaces(tx, user.id);
      });
    },
  };
}

function toWire({ id, name, email, role, createdAt }: MemberRow): Member {
  return { id, name, email, role, created_at: createdAt.toISOString() };
}
