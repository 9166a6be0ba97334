import type { ConsoleWorkspace, Member, MemberHolding } from '@svc/contract/console-session';
import { hasRole, type Role } from '@svc/contract/roles';
import { recordChange } from '../../audit/audit.service.ts';
import type { Transaction } from '../../database/database.ts';
import type { MemberPrincipal, Person } from '../../http/member-principal.ts';
import { AppError, notFound } from '../../lib/app-error.ts';
import type { Services } from '../../services.ts';
import { type MemberRow, memberStore } from '../members.store.ts';
import { signedOut } from '../signed-out.ts';
import { exceeds, type Holding, type Holdings } from './holdings.ts';

export interface TeamDependencies extends Pick<Services, 'database' | 'workspaces'> {
  holdings: Holdings;
  /** Called for what was revoked, once it is certain: it stops working on this node at once. Others are notified. */
  onRevoked(holding: Holding): void;
}

interface Found {
  member: MemberRow;
  /** The person is an owner, and nobody else is. */
  isLastOwner: boolean;
}

export type TeamService = ReturnType<typeof createTeamService>;

/** The members of a workspace. */
export function createTeamService({ database, workspaces, holdings, onRevoked }: TeamDependencies) {
  /** Locks the members until the transaction ends. */
  async function find(tx: Transaction, workspaceId: string, userId: string): Promise<Found> {
    await memberStore.lock(tx, workspaceId);
    const members = await memberStore.list(tx, workspaceId);
    const member = members.find(({ id }) => id === userId);
    if (!member) throw notFound();
    const isLastOwner = members.every(({ id, role }) => (role === 'owner') === (id === userId));
    return { member, isLastOwner };
  }

  function requireOwnerOrSelf({ member }: MemberPrincipal, userId: string, message: string): void {
    if (userId !== member.id && !hasRole(member.role, 'owner'))
      throw new AppError('FORBIDDEN', { message, details: [{ role: 'owner' }] });
  }

  /** Returns what was revoked with the membership. */
  async function remove(tx: Transaction, workspaceId: string, { member, isLastOwner }: Found) {
    const { id, name, email, role } = member;
    if (isLastOwner) throw new AppError('LAST_OWNER');
    await memberStore.delete(tx, workspaceId, id);
    const left = { role: undefined, reason: `${name} was removed from the workspace.` };
    const revoked = await holdings.revokeBeyond(tx, workspaceId, { userId: id, email }, left);
    const before = { email, role };
    await recordChange(tx, workspaceId, { action: 'member.removed', object: { id, name }, before });
    return revoked;
  }

  return {
    async list(workspaceId: string): Promise<Member[]> {
      return (await memberStore.list(database.within(workspaceId), workspaceId)).map(toWire);
    },

    /** What a member has made or was given, and what of it is revoked if they get this role; undefined if they are removed. */
    async listHoldings(
      principal: MemberPrincipal,
      userId: string,
      role: Role | undefined,
    ): Promise<MemberHolding[]> {
      const { workspaceId } = principal;
      requireOwnerOrSelf(principal, userId, 'Only an owner can see what other members have made.');
      const query = database.within(workspaceId);
      const member = (await memberStore.list(query, workspaceId)).find(({ id }) => id === userId);
      if (!member) throw notFound();
      const held = await holdings.listOf(query, workspaceId, { userId, email: member.email });
      return held.map((holding) => ({
        type: holding.type,
        id: holding.id,
        name: holding.name,
        created_at: holding.createdAt.toISOString(),
        is_revoked: exceeds(holding, role),
      }));
    },

    /** Takes effect immediately, on open sockets too. */
    async changeRole({ workspaceId, confirm }: MemberPrincipal, userId: string, role: Role): Promise<Member> {
      const { changed, revoked } = await database.within(workspaceId).transaction(async (tx) => {
        const { member, isLastOwner } = await find(tx, workspaceId, userId);
        await confirm(tx);
        if (isLastOwner && role !== 'owner') throw new AppError('LAST_OWNER');
        await memberStore.setRole(tx, workspaceId, userId, role);
        const left = { role, reason: `${member.name} has the role ${role} now.` };
        const beyond = await holdings.revokeBeyond(tx, workspaceId, { userId, email: member.email }, left);
        await recordChange(tx, workspaceId, {
          action: 'member.updated',
          object: { id: userId, name: member.name },
          before: { role: member.role },
          after: { role },
        });
        return { changed: { ...member, role }, revoked: beyond };
      });
      revoked.forEach(onRevoked);
      return toWire(changed);
    },

    /** Owners remove others; everybody can leave. */
    async remove(principal: MemberPrincipal, userId: string): Promise<void> {
      const { workspaceId } = principal;
      const revoked = await database.within(workspaceId).transaction(async (tx) => {
        const found = await find(tx, workspaceId, userId);
        await principal.confirm(tx);
        requireOwnerOrSelf(principal, userId, 'Only an owner can remove other members.');
        return remove(tx, workspaceId, found);
      });
      revoked.forEach(onRevoked);
    },

    async rename({ workspaceId, confirm }: MemberPrincipal, name: string): Promise<ConsoleWorkspace> {
      await database.within(workspaceId).transaction(async (tx) => {
        await confirm(tx);
        await workspaces.rename(tx, workspaceId, name);
      });
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
      const revoked = await database
        .within(workspaceId)
        .transaction(async (tx) => remove(tx, workspaceId, await find(tx, workspaceId, user.id)));
      revoked.forEach(onRevoked);
    },

    /** The same: deletes a person with their sessions, and removes them from every workspace. */
    async deleteByEmail(email: string): Promise<void> {
      const user = await memberStore.findUserAcrossWorkspaces(database.acrossWorkspaces, email);
      if (!user) throw notFound();
      const revoked: Holding[] = [];
      await database.acrossWorkspaces.transaction(async (tx) => {
        // A workspace that the person joins or creates meanwhile would not be looked at, and could lose its only owner.
        if (!(await memberStore.lockUserAcrossWorkspaces(tx, user.id))) throw notFound();
        const found = await memberStore.listWorkspacesAcrossWorkspaces(tx, user.id);
        for (const { workspaceId } of found)
          revoked.push(...(await remove(tx, workspaceId, await find(tx, workspaceId, user.id))));
        await memberStore.deleteUserAcrossWorkspaces(tx, user.id);
      });
      revoked.forEach(onRevoked);
    },
  };
}

function toWire({ id, name, email, role, createdAt }: MemberRow): Member {
  return { id, name, email, role, created_at: createdAt.toISOString() };
}
